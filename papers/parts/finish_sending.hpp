// For conduits whose messages need their rank's help to leave: what Conduit::finish_sending() does.
#pragma once
#include <sched.h>

#include <cstdint>

#include "world/world.hpp"

namespace aqueduct::parts {

/// Calls `has_left`, which helps, until it says so, the time is over, or all ranks leave: those that are gone
/// acknowledge nothing.
template <class HasLeft>
void finish_sending(world::World& world, std::uint64_t most_ns, HasLeft has_left) {
  const std::uint64_t until_ns = world.clock().now_ns() + most_ns;
  while (!has_left() && world.clock().now_ns() < until_ns && !world.everyone_leaves()) {
    if (world.is_simulated()) {
      world.pass_time();
    } else {
      ::sched_yield();
    }
  }
}

}  // namespace aqueduct::parts
