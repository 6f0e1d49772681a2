// How images end.
//
// Normal termination (stop, the end of the program): an image completes its puts, and stays, so that others
// can still reach its coarrays, until all have come as far or have failed. Then the job ends with the
// greatest of their stop codes. Images that all come within a moment need one reduction for that; an image
// that is alone for longer tells the others that it has stopped.
//
// Error termination ends all images at once.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::caf {

/// Collective, once.
void begin_end();

[[noreturn]] void stop(int code);
[[noreturn]] void error_stop(int code);
[[noreturn]] void fail_image();

}  // namespace aqueduct::caf
