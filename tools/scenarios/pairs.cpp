// Round trips of all pairs of ranks at once, 0 with 1, 2 with 3 and so on: what a message takes where ranks
// share cores and each waits for another. Rank 0 records the series "pairs": half of a round trip by the
// number of ranks, as means of batches, because a median of round trips would hide what only some of them
// meet.
#include <aqueduct/sim.h>

#include "round_clock.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr gex_AM_Index_t kAsk = GEX_AM_INDEX_BASE;
constexpr gex_AM_Index_t kAnswer = kAsk + 1;
constexpr unsigned kOfABatch = 50;  // round trips
constexpr unsigned kWarmUp = 2;     // batches

struct State {
  std::uint64_t asked = 0;
  std::uint64_t answers = 0;
};

void ask(gex_Token_t token) {
  ++static_cast<State*>(Member::state_of(token))->asked;
  gex_AM_ReplyShort0(token, kAnswer, 0);
}
void answer(gex_Token_t token) { ++static_cast<State*>(Member::state_of(token))->answers; }

}  // namespace

int pairs(const Parameters& parameters) {
  State state;
  gex_AM_Entry_t handlers[] = {
      {kAsk, reinterpret_cast<gex_AM_Fn_t>(ask), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr, "ask"},
      {kAnswer, reinterpret_cast<gex_AM_Fn_t>(answer), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, nullptr,
       "answer"}};
  const Member me(1, &state, handlers);
  const gex_Rank_t other = me.rank() ^ 1u;
  const unsigned batches = kWarmUp + parameters.rounds_or(20);
  me.barrier();
  for (unsigned batch = 0; batch < batches && other < me.size(); ++batch) {
    const std::uint64_t until = std::uint64_t{kOfABatch} * (batch + 1);
    if (me.rank() % 2 != 0) {
      GASNET_BLOCKUNTIL(state.asked >= until);
      continue;
    }
    const std::uint64_t start_ns = aqueduct_sim_time_ns();
    while (state.answers < until) {
      const std::uint64_t next = state.answers + 1;
      gex_AM_RequestShort0(me.team(), other, kAsk, 0);
      GASNET_BLOCKUNTIL(state.answers >= next);
    }
    if (me.rank() == 0 && batch >= kWarmUp)
      record("pairs", me.size(), static_cast<double>(aqueduct_sim_time_ns() - start_ns) / kOfABatch / 2);
  }
  me.barrier();
  return 0;
}

}  // namespace aqueduct::scenarios
