// Locks, and critical sections, which are locks of image 1.
//
// Over a network they are given in the order in which images ask (fair_lock.hpp). Where all images share
// memory, and in jobs that go on when an image fails, a lock is a word that holds 0 or the number of the
// image that has it; who finds it taken tries again, less and less often. There the next one would often be
// an image that has no core at the moment.
#pragma once
#include <cstddef>

#include "clients/caf/coarray.hpp"

namespace aqueduct::caf {

/// `acquired`: if not null the call does not wait, and says whether it has got the lock.
void lock(const Coarray& variable, std::size_t index, int image, int* acquired, const Outcome& outcome);
void unlock(const Coarray& variable, std::size_t index, int image, const Outcome& outcome);

}  // namespace aqueduct::caf
