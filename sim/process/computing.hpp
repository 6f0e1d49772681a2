// What it costs a simulated rank to compute between two calls of the library.
//
// Nothing, unless a model says otherwise. A model is asked at every call: the program's names of the
// library's functions are then bound to pieces of code that ask it first (wrapped()).
#pragma once
#include <cstdint>

namespace aqueduct::sim::process {

struct ComputeModel {
  enum class Kind : std::uint8_t { kFree, kFixed, kMeasured } kind = Kind::kFree;
  std::uint64_t ns = 0;  ///< of kFixed: before each call
  double scale =
      1;  ///< of kMeasured: of the real time that has passed since the last call, or turn of the rank
};

/// Of all programs, before any is loaded.
void set_compute_model(const ComputeModel& model);

/// A function that charges what the model says to the calling rank and goes on with `function`, whatever its
/// arguments are, of integers and pointers. The function itself if computing is free.
void* wrapped(void* function);

/// By a thread, at a call that is not wrapped: charges likewise if computing is measured.
void charge_measured();
/// A turn of a thread begins.
void begin_measuring();

}  // namespace aqueduct::sim::process
