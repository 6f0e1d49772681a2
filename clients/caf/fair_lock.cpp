#include "clients/caf/fair_lock.hpp"

#include <algorithm>
#include <cstdlib>

#include "clients/caf/atomic_words.hpp"
#include "clients/caf/error.hpp"
#include "clients/caf/status.hpp"
#include "clients/caf/transfer.hpp"
#include "clients/caf/wait_name.hpp"

namespace aqueduct::caf {
namespace {

using Ticket = std::uint16_t;
constexpr gex_Rank_t kMostImages = 0xffff;  // each has one ticket at most
constexpr std::uint32_t kOneTicket = 0x10000;

/// The word: tickets in its lower half, which is what atomic operations change, and the image in its upper
/// one.
struct State {
  Ticket served, next;
  int image;
  bool is_free() const { return served == next; }
};

State state_of(std::uint64_t word) {
  return {static_cast<Ticket>(word), static_cast<Ticket>(word >> 16), static_cast<int>(word >> 32)};
}

State look(gex_Rank_t rank, std::size_t place) {
  return state_of(apply_atomic(AtomicOp::kGet, rank, place, 8, 0));
}

struct Held {
  gex_Rank_t rank;
  std::size_t place;
  Ticket ticket;
};
Held* held;
std::size_t held_count, held_room;

Held* find_held(gex_Rank_t rank, std::size_t place) {
  Held* const end = held + held_count;
  Held* const found =
      std::find_if(held, end, [&](const Held& h) { return h.rank == rank && h.place == place; });
  return found == end ? nullptr : found;
}

void keep(gex_Rank_t rank, std::size_t place, Ticket ticket) {
  if (held_count == held_room) {
    held_room = held_room ? 2 * held_room : 8;
    held = static_cast<Held*>(std::realloc(held, held_room * sizeof(Held)));
    if (!held) fatal("LOCK", "no memory for the list of locks");
  }
  held[held_count++] = {rank, place, ticket};
  put_half_word(rank, place + 4, static_cast<std::uint32_t>(job.initial.me));
}

}  // namespace

bool locks_are_fair() { return job.has_network && !job.reports_failures && job.size <= kMostImages; }

bool holds_fair_lock(gex_Rank_t rank, std::size_t place) { return find_held(rank, place) != nullptr; }

void take_fair_lock(gex_Rank_t rank, std::size_t place, const char* statement) {
  State state = state_of(apply_atomic(AtomicOp::kAdd, rank, place, 4, kOneTicket));
  const Ticket mine = state.next;
  if (state.served != mine) {
    WaitName name(statement);
    PollingWait wait;
    int named = 0;
    while (state.served != mine) {
      if (wait.is_long() && state.image != named) name.names_holder(statement, named = state.image);
      // As often as there are images in front of this one: nobody tells it that it is served.
      const auto before = static_cast<Ticket>(mine - state.served);
      wait.go_on(std::min(8u * before, 256u), [&] {
        state = look(rank, place);
        return state.served == mine || state.image != named;
      });
    }
  }
  keep(rank, place, mine);
}

bool try_fair_lock(gex_Rank_t rank, std::size_t place) {
  const State state = look(rank, place);
  if (!state.is_free()) return false;
  const std::uint32_t seen = static_cast<std::uint32_t>(state.next) << 16 | state.served;
  if (apply_atomic(AtomicOp::kCompareSwap, rank, place, 4, seen + kOneTicket, seen) != seen) return false;
  keep(rank, place, state.next);
  return true;
}

int holder_of_fair_lock(gex_Rank_t rank, std::size_t place) {
  const State state = look(rank, place);
  return state.is_free() ? 0 : state.image;
}

void release_fair_lock(gex_Rank_t rank, std::size_t place) {
  Held* const ours = find_held(rank, place);
  // Past the last ticket comes the first one, and nothing carries over into those that are given out.
  const std::uint32_t step = ours->ticket == 0xffff ? 0u - 0xffffu : 1u;
  *ours = held[--held_count];
  apply_atomic(AtomicOp::kAdd, rank, place, 4, step);
}

}  // namespace aqueduct::caf
