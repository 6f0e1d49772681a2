// All members of a team tell each other one small item, over active messages: how teams are made.
//
// Rounds of doubling (Bruck): after round r a member knows the items of itself and of the 2^(r+1) - 1 members
// after it. In round r it sends what it knows, as far as the other lacks it, to the member 2^r before it,
// in medium messages, and waits for as much from the member 2^r after it.
//
// Messages: request (team, parity, round, first, item bytes) with items as payload; no reply. Gatherings over
// a team follow each other in the same order on all members; a member may be at most one ahead of another,
// because nobody ends one before everybody has begun it, so what arrives is kept for two of them, told apart
// by parity. A message may come before its receiver has begun: the handler makes the room.
//
// Blocking, collective, for set-up only. One thread per team at a time; not in handlers.
#pragma once
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/spin_lock.hpp"
#include "core/progress.hpp"

namespace aqueduct::extended {

class TeamGather {
 public:
  TeamGather(core::Rank& rank, const core::Team& team) : rank_(rank), team_(team) {}

  static void register_handler(core::HandlerTable& handlers);

  /// The items of all members, indexed by rank in the team.
  template <class Item>
  std::vector<Item> all_gather(core::Thread& thread, const Item& mine) {
    static_assert(std::is_trivially_copyable_v<Item>);
    std::vector<Item> all(team_.size());
    gather(thread, &mine, all.data(), sizeof(Item));
    return all;
  }

  /// Returns when every member has called it.
  void barrier(core::Thread& thread) { (void)all_gather(thread, char{}); }

  /// The same for items whose size is known at run time only, but the same on all members.
  void gather(core::Thread& thread, const void* mine, void* all, std::size_t item_bytes);

 private:
  static constexpr unsigned kMaxRounds = 32;
  struct Mail {
    std::vector<std::byte> items;     // position p is the item of the p-th member after this one
    std::vector<gex_Rank_t> arrived;  // in each of kMaxRounds; empty before the first
  };
  static void on_items(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t team_id,
                       gex_AM_Arg_t parity, gex_AM_Arg_t round, gex_AM_Arg_t first, gex_AM_Arg_t item_bytes);
  void store(unsigned parity, unsigned round, gex_Rank_t first, const void* items, std::size_t bytes,
             std::size_t item_bytes);
  void send(core::Thread& thread, unsigned parity, unsigned round, gex_Rank_t count, std::size_t item_bytes);

  core::Rank& rank_;
  const core::Team& team_;
  unsigned begun_ = 0;
  SpinLock lock_;
  std::array<Mail, 2> mail_;
};

}  // namespace aqueduct::extended
