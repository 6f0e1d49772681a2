// The layout of a message in its slot: the arguments, padded to 8 bytes; of a Long, its envelope; a packed
// payload.
#pragma once
#include <cstdint>

#include "gni_pub.h"
#include "parts/body.hpp"

namespace aqueduct::conduit::aries {

struct Envelope {
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;  ///< of a payload that travels by itself
  // By rendezvous: where the payload is, and the name for the answer.
  std::uint64_t source = 0;
  gni_mem_handle_t memory{};
  std::uint64_t name = 0;
};

}  // namespace aqueduct::conduit::aries
