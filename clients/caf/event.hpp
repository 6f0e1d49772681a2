// Events: counters in the segment of the image that has them. Posting adds one, from any image; only their
// owner waits.
#pragma once
#include <cstddef>

#include "clients/caf/coarray.hpp"

namespace aqueduct::caf {

/// `index` counts the elements of the event variable. Image 0 is this one.
void event_post(const Coarray& event, std::size_t index, int image, const Outcome& outcome);
void event_wait(const Coarray& event, std::size_t index, int until_count, const Outcome& outcome);
void event_query(const Coarray& event, std::size_t index, int image, int* count, const Outcome& outcome);

}  // namespace aqueduct::caf
