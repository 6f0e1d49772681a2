// The header of a message on the wire.
#pragma once
#include <cstddef>
#include <cstdint>

#include "conduit/conduit.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::conduit::wire {

inline constexpr std::uint8_t kVersion = 1;

enum class Kind : std::uint8_t { kRequest = 1, kReply, kCredits };

struct Head {
  std::uint8_t version;
  Kind kind;
  Category category;
  std::uint8_t handler;
  std::uint16_t nargs;
  std::uint16_t credits;      // given back, beside the one that a reply gives back
  std::uint64_t destination;  // of a long payload
  std::int32_t args[kMaxArgs];

  static constexpr std::size_t bytes_for(std::size_t nargs) {
    return offsetof(Head, args) + nargs * sizeof(std::int32_t);
  }
};
static_assert(sizeof(Head) == 80 && sizeof(Head) <= fabric::kMaxHeader);

}  // namespace aqueduct::conduit::wire
