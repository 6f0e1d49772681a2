// How a message lies in its slot: the arguments, padded to 8 bytes; of a Long, its envelope; a payload that
// comes along.
#pragma once
#include <cstdint>

#include "gni_pub.h"
#include "parts/body.hpp"

namespace aqueduct::conduit::aries {

struct Envelope {
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;  ///< of a payload that travels by itself
  // By rendezvous: where that is, and as what it answers.
  std::uint64_t source = 0;
  gni_mem_handle_t memory{};
  std::uint64_t name = 0;
};

}  // namespace aqueduct::conduit::aries
