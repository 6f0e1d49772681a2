// How statements end: with success, with stat= and errmsg=, or, where the program asks for no stat=, with
// error termination.
#pragma once
#include <cstddef>

namespace aqueduct::caf {

/// Values of stat=. The first ones have names in iso_fortran_env.
enum StatValue : int {
  kOk = 0,
  kLocked = 1,            ///< by this image already
  kLockedOtherImage = 2,  ///< by another image
  kDuplicateImages = 3,   ///< sync images names an image twice
  kNotLocked = 4,
  kNoMemory = 5,
  kNoSuchImage = 6,
  kBadArgument = 7,
  kNotAllocated = 8,
  kStoppedImage = 6000,
  kFailedImage = 6001,
};

/// What a statement was given for its outcome; any of it may be absent.
struct Outcome {
  int* stat = nullptr;
  char* message = nullptr;
  std::size_t message_bytes = 0;

  void succeed() const {
    if (stat) *stat = kOk;
  }
  /// Sets stat= and errmsg=; without stat= the job ends with a line that begins with `statement`.
  void fail(StatValue value, const char* statement, const char* format, ...) const
      __attribute__((format(printf, 4, 5)));
};

/// Ends all images with a line on stderr that names this one.
[[noreturn]] void fatal(const char* statement, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace aqueduct::caf
