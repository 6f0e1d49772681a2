// Collective subroutines over the current team. `result_image` 0: every image gets the result. Arrays that
// are not contiguous are packed for the time of the call.
#pragma once
#include <cstddef>

#include "clients/caf/error.hpp"
#include "clients/caf/interface/gfortran8.hpp"

namespace aqueduct::caf {

enum class Reduction { kSum, kMin, kMax };

void co_broadcast(const Descriptor& array, int source_image, const Outcome& outcome);
void co_reduction(Reduction reduction, const Descriptor& array, int result_image, const Outcome& outcome);

/// A function of the program that combines two elements, and how it takes them (interface.hpp).
struct UserOperation {
  void* function;
  int flags;
  std::size_t text_length;  ///< of character elements
};
void co_reduce(const UserOperation& operation, const Descriptor& array, int result_image,
               const Outcome& outcome);

}  // namespace aqueduct::caf
