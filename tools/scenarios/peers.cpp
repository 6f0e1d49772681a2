// What a message costs where a rank has several peers, and where more ranks use one kernel at once. Times are
// those of rank 0; x is the number of ranks, unless something else is said. Each sample is the mean of a
// batch of rounds, because ranks that wait for each other wait for the slowest.
//
//   series            what is timed, all ranks do the same
//   pair_exchange     a message to the rank beside it (0 and 1, 2 and 3, ...) and one from there; of an even
//                     number of ranks
//   new_exchange      the same with another rank each round; of a power of two
//   shift             a message to the next rank, and one from the rank before
//   both_sides        a message to the next and to the previous rank, and one from each
//
//   series            what is timed, rank 0 alone sends; the others look for messages
//   round_trips       round trips with all others, one after the other: half of one
//   send_to_each      a request to each of x others, one behind the other
//   answers_of_each   likewise, until all replies have been handled
//   take_from_each    replies of x others are taken that lie there together: rank 0 has computed until all had come
#include <aqueduct/sim.h>

#include <bit>

#include "base/fatal.hpp"
#include "round_clock.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr gex_AM_Index_t kNews = GEX_AM_INDEX_BASE;
constexpr gex_AM_Index_t kAsk = kNews + 1;
constexpr gex_AM_Index_t kAnswer = kNews + 2;
constexpr unsigned kOfABatch = 50;  // rounds
constexpr unsigned kWarmUp = 4;     // batches

struct State {
  std::vector<std::uint64_t> news_from;  // by rank
  std::uint64_t answers = 0;
};

State& state_of(gex_Token_t token) { return *static_cast<State*>(Member::state_of(token)); }
void news(gex_Token_t token, gex_AM_Arg_t from) {
  ++state_of(token).news_from[static_cast<gex_Rank_t>(from)];
}
void ask(gex_Token_t token) { gex_AM_ReplyShort0(token, kAnswer, 0); }
void answer(gex_Token_t token) { ++state_of(token).answers; }

double now() { return static_cast<double>(aqueduct_sim_time_ns()); }

class Everybody {
 public:
  Everybody(const Member& me, State& state, unsigned batches)
      : me_(me), state_(state), batches_(batches), expected_(me.size()) {}

  void run() {
    const gex_Rank_t size = me_.size(), rank = me_.rank();
    const gex_Rank_t next = (rank + 1) % size, previous = (rank + size - 1) % size;
    if (size % 2 == 0) {
      rounds("pair_exchange", [&](unsigned) {
        send(rank ^ 1u);
        wait(rank ^ 1u);
      });
    }
    if (std::has_single_bit(size)) {
      rounds("new_exchange", [&](unsigned round) {
        const gex_Rank_t other = rank ^ (1 + round % (size - 1));
        send(other);
        wait(other);
      });
    }
    rounds("shift", [&](unsigned) {
      send(next);
      wait(previous);
    });
    rounds("both_sides", [&](unsigned) {
      send(previous);
      send(next);
      wait(next);
      wait(previous);
    });
  }

 private:
  template <class Round>
  void rounds(const char* series, const Round& round) {
    me_.barrier();
    for (unsigned batch = 0; batch < batches_ + kWarmUp; ++batch) {
      const double start = now();
      for (unsigned i = 0; i < kOfABatch; ++i) round(i);
      if (me_.rank() == 0 && batch >= kWarmUp) record(series, me_.size(), (now() - start) / kOfABatch);
    }
  }
  void send(gex_Rank_t to) {
    gex_AM_RequestShort1(me_.team(), to, kNews, 0, static_cast<gex_AM_Arg_t>(me_.rank()));
  }
  void wait(gex_Rank_t from) {
    const std::uint64_t expected = ++expected_[from];
    GASNET_BLOCKUNTIL(state_.news_from[from] >= expected);
  }

  const Member& me_;
  State& state_;
  unsigned batches_;
  std::vector<std::uint64_t> expected_;  // of news, by rank
};

/// Rank 0's side of what it does alone.
class Alone {
 public:
  Alone(const Member& me, State& state, unsigned batches) : me_(me), state_(state), batches_(batches) {}

  void run() {
    const gex_Rank_t others = me_.size() - 1;
    rounds("round_trips", me_.size(), [&](unsigned round) {
      const double start = now();
      send(1 + round % others);
      wait();
      return (now() - start) / 2;
    });
    for (gex_Rank_t count = 1; count <= others; ++count) {
      rounds("send_to_each", count, [&](unsigned) {
        const double start = now();
        for (gex_Rank_t i = 0; i < count; ++i) send(1 + i);
        const double end = now();
        wait();
        let_pass();
        return end - start;
      });
      rounds("answers_of_each", count, [&](unsigned) {
        const double start = now();
        for (gex_Rank_t i = 0; i < count; ++i) send(1 + i);
        wait();
        const double end = now();
        let_pass();
        return end - start;
      });
      rounds("take_from_each", count, [&](unsigned) {
        for (gex_Rank_t i = 0; i < count; ++i) send(1 + i);
        aqueduct_sim_compute_ns(static_cast<std::uint64_t>(kPauseNs) * (1 + count));
        const double lie_there = now();
        wait();
        const double taken = now();
        let_pass();
        return taken - lie_there;
      });
    }
  }

 private:
  /// Each round returns its nanoseconds.
  template <class Round>
  void rounds(const char* series, std::uint64_t x, const Round& round) {
    for (unsigned batch = 0; batch < batches_ + kWarmUp; ++batch) {
      double all = 0;
      for (unsigned i = 0; i < kOfABatch; ++i) all += round(i);
      if (batch >= kWarmUp) record(series, x, all / kOfABatch);
    }
  }
  void send(gex_Rank_t to) {
    gex_AM_RequestShort0(me_.team(), to, kAsk, 0);
    ++sent_;
  }
  void wait() { GASNET_BLOCKUNTIL(state_.answers >= sent_); }
  static constexpr double kPauseNs =
      15'000;  // longer than a round trip, also with a rank that shares its core

  static void let_pass() {
    const double end = now() + kPauseNs;
    while (now() < end) gasnet_AMPoll();
  }

  const Member& me_;
  State& state_;
  unsigned batches_;
  std::uint64_t sent_ = 0;
};

}  // namespace

int peers(const Parameters& parameters) {
  State state;
  gex_AM_Entry_t handlers[] = {
      {kNews, reinterpret_cast<gex_AM_Fn_t>(news), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, nullptr,
       "news"},
      {kAsk, reinterpret_cast<gex_AM_Fn_t>(ask), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr, "ask"},
      {kAnswer, reinterpret_cast<gex_AM_Fn_t>(answer), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, nullptr,
       "answer"}};
  const Member me(1, &state, handlers);
  if (me.size() < 2) fatal("peers", "one rank has none");
  state.news_from.resize(me.size());  // nobody sends any before the first barrier
  const unsigned batches = parameters.rounds_or(20);
  Everybody(me, state, batches).run();
  me.barrier();
  if (me.rank() == 0) Alone(me, state, batches).run();
  me.barrier();
  return 0;
}

}  // namespace aqueduct::scenarios
