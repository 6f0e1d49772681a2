// Locks, and critical sections, which are locks of image 1: words in a segment that hold 0 or the number of
// the image that has the lock. Who finds one taken tries again, less and less often.
#pragma once
#include <cstddef>

#include "clients/caf/coarray.hpp"

namespace aqueduct::caf {

/// `acquired`: if not null the call does not wait, and says whether it has got the lock.
void lock(const Coarray& variable, std::size_t index, int image, int* acquired, const Outcome& outcome);
void unlock(const Coarray& variable, std::size_t index, int image, const Outcome& outcome);

}  // namespace aqueduct::caf
