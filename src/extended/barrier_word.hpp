// How barriers in shared memory write an arrival: one word, (id, kind of name, ticket), and two words in
// turn.
//
// A word for a later ticket says that its writer has also arrived at all before. Tickets are compared modulo
// 2^30. Which of the two words: ticket % 2. Where barriers have names a member cannot arrive at ticket t+2
// before everybody has arrived at t+1, and hence has read what it needs of t; so two are enough. Without
// names members may run further ahead, and only need to know that a ticket at least as high was written.
#pragma once
#include <atomic>
#include <cstdint>

#include "extended/barrier.hpp"

namespace aqueduct::extended {

/// Two words in turn. All-zero memory: nobody has arrived.
struct alignas(2 * sizeof(std::uint64_t)) BarrierWords {
  std::atomic<std::uint64_t> word[2];

  std::atomic<std::uint64_t>& of(std::uint64_t ticket) { return word[ticket % 2]; }
  const std::atomic<std::uint64_t>& of(std::uint64_t ticket) const { return word[ticket % 2]; }
};

inline constexpr unsigned kTicketBits = 30;

inline std::uint64_t pack_arrival(std::uint64_t ticket, BarrierValue value) {
  return std::uint64_t{static_cast<std::uint32_t>(value.id)} << 32 |
         std::uint64_t{value.kind} << kTicketBits | (ticket & ((1u << kTicketBits) - 1));
}

/// Whether a word was written for `ticket` or a later one.
inline bool has_reached(std::uint64_t word, std::uint64_t ticket) {
  const auto ahead = static_cast<std::uint32_t>(word) - static_cast<std::uint32_t>(ticket);
  return static_cast<std::int32_t>(ahead << (32 - kTicketBits)) >= 0;
}

inline BarrierValue value_in(std::uint64_t word) {
  return {static_cast<BarrierValue::Kind>((word >> kTicketBits) & 3), static_cast<std::int32_t>(word >> 32)};
}

}  // namespace aqueduct::extended
