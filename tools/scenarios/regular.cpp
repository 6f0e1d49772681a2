// Scenarios in which every rank does the same: ring, all-to-all, barriers, allreduce.
#include <algorithm>
#include <vector>

#include "base/fatal.hpp"
#include "round_clock.hpp"

namespace aqueduct::scenarios {

int ring(const Parameters& parameters) {
  const unsigned rounds = parameters.rounds_or(4);
  const std::size_t bytes = parameters.bytes_or(1024);
  const Member me(bytes);
  const gex_Rank_t next = (me.rank() + 1) % me.size();
  const gex_Rank_t previous = (me.rank() + me.size() - 1) % me.size();
  Block block(bytes);
  for (unsigned round = 0; round < rounds; ++round) {
    me.begin_round(round, rounds);
    fill(block.data(), bytes, me.rank(), round);
    gex_RMA_PutBlocking(me.team(), next, me.at(next, 0), block.data(), bytes, 0);
    me.barrier();
    check("ring", me.mine(), bytes, previous, round);
    me.barrier();
  }
  return 0;
}

int all_to_all(const Parameters& parameters) {
  const unsigned rounds = parameters.rounds_or(1);
  const std::size_t bytes = parameters.bytes_or(256);
  const gex_Rank_t kMost = 64;
  const Member me(kMost * bytes);
  const gex_Rank_t partners = me.size() - 1 < kMost ? me.size() - 1 : kMost;
  // Partners are spread over the whole machine; block i of a rank comes from the one i + 1 strides before it.
  const gex_Rank_t stride = partners != 0 ? (me.size() - 1) / partners : 1;
  Block blocks(partners * bytes);
  RoundClock clock(me, rounds);
  for (unsigned round = 0; round < rounds; ++round) {
    me.begin_round(round, rounds);
    for (gex_Rank_t i = 0; i < partners; ++i) fill(&blocks[i * bytes], bytes, me.rank(), round);
    clock.start();
    for (gex_Rank_t i = 0; i < partners; ++i) {
      const gex_Rank_t to = (me.rank() + (i + 1) * stride) % me.size();
      gex_RMA_PutNBI(me.team(), to, me.at(to, i * bytes), &blocks[i * bytes], bytes, GEX_EVENT_DEFER, 0);
    }
    gex_NBI_Wait(GEX_EC_ALL, 0);
    me.barrier();
    clock.stop();
    for (gex_Rank_t i = 0; i < partners; ++i) {
      const gex_Rank_t from = (me.rank() + me.size() - (i + 1) * stride % me.size()) % me.size();
      check("all-to-all", me.mine(i * bytes), bytes, from, round);
    }
    me.barrier();
  }
  return 0;
}

int barriers(const Parameters& parameters) {
  const unsigned rounds = parameters.rounds_or(20);
  const Member me(1);
  RoundClock clock(me, rounds);
  for (unsigned round = 0; round < rounds; ++round) {
    me.begin_round(round, rounds);
    clock.start();
    me.barrier();
    clock.stop();
  }
  return 0;
}

namespace {

/// The largest of r ^ round for all r < n, the same for all ranks of a run.
std::uint64_t most_of(std::uint64_t n, std::uint64_t round) {
  static std::uint64_t known_n = 0, known_round = 0, known = 0;
  if (known_n == n && known_round == round) return known;
  known_n = n;
  known_round = round;
  known = 0;
  for (std::uint64_t r = 0; r < n; ++r) known = std::max(known, r ^ round);
  return known;
}

}  // namespace

int allreduce(const Parameters& parameters) {
  const Member me(1);
  const std::uint64_t n = me.size();
  const std::uint64_t rounds = parameters.rounds_or(4);
  RoundClock clock(me, rounds);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    me.begin_round(round, rounds);
    clock.start();
    std::uint64_t sum = me.rank() + round;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(me.team(), &sum, &sum, GEX_DT_U64, sizeof sum, 1, GEX_OP_ADD,
                                          nullptr, nullptr, 0));
    if (sum != n * (n - 1) / 2 + n * round) {
      fatal("allreduce", "the sum is %llu", static_cast<unsigned long long>(sum));
    }
    std::uint64_t most = me.rank() ^ round;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(me.team(), &most, &most, GEX_DT_U64, sizeof most, 1, GEX_OP_MAX,
                                          nullptr, nullptr, 0));
    if (most != most_of(n, round))
      fatal("allreduce", "the maximum is %llu", static_cast<unsigned long long>(most));
    clock.stop();
  }
  return 0;
}

}  // namespace aqueduct::scenarios
