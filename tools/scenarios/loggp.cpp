// What a message costs between rank 0 and rank 1, by LogGP's method: each number from a pattern in which it
// is alone, or in which it grows with something that the others do not depend on. Times are those of rank 0;
// series are of samples.hpp.
//
//   series            x        what is timed
//   send              bytes    a request while nothing is on its way: the sender's overhead
//   send_to_busy      bytes    the same while rank 1 computes, and does not look
//   round_trip        bytes    a request with that payload until the reply without one has been handled
//   receive           bytes    the poll that takes a reply with that payload, which lies there: the sender has computed for
//                              longer than a round trip takes
//   receive_together  replies  the same for so many replies without payload that lie there together
//   receive_apart     replies  the same for replies that came one by one, each as a message of the network of its own: the
//                              sender has computed between its requests, and polled after the last one
//   send_together     requests so many requests without payload, one behind the other
//   flood             requests likewise, until the reply to the last one has been handled
//   stream            bytes    of a flood of requests with that payload, each
//   exchange          0        both ranks send a request at once, until the other's has been handled
//   poll              1        a poll that finds nothing, soon after one that did
//
// The delay is what tells the overhead from the gap: without it, a sender that is ahead of the network waits
// in one as in the other. Requests of a series are far apart, so that each finds an idle network; the medians
// are what a model is fitted to.
#include <aqueduct/sim.h>

#include <algorithm>

#include "base/fatal.hpp"
#include "round_clock.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr gex_AM_Index_t kPing = GEX_AM_INDEX_BASE;
constexpr gex_AM_Index_t kPingWithPayload = kPing + 1;
constexpr gex_AM_Index_t kPong = kPing + 2;
constexpr gex_AM_Index_t kAskForPayload = kPing + 3;
constexpr gex_AM_Index_t kPongWithPayload = kPing + 4;
constexpr gex_AM_Index_t kMeet = kPing + 5;
constexpr gex_AM_Index_t kCompute = kPing + 6;
constexpr unsigned kWarmUp = 200;  // the kernel connects sockets, caches fill
constexpr unsigned kStream = 64;   // requests of a stream
constexpr std::size_t kSizes[] = {64, 256, 512, 1024, 1536, 2048, 3072};
constexpr unsigned kTogether[] = {1, 2, 4, 6, 8, 12, 16, 20, 24};
constexpr unsigned kApart[] = {1, 2, 3, 4};  // more would share datagrams
constexpr unsigned kFloods[] = {32, 64, 128, 256};

struct State {
  std::uint64_t replies = 0;
  std::uint64_t meetings = 0;
  Block block;
};

void ping(gex_Token_t token) { gex_AM_ReplyShort0(token, kPong, 0); }
void ping_with_payload(gex_Token_t token, void*, std::size_t) { gex_AM_ReplyShort0(token, kPong, 0); }
void meet(gex_Token_t token) { ++static_cast<State*>(Member::state_of(token))->meetings; }
void compute(gex_Token_t token, gex_AM_Arg_t ns) {
  aqueduct_sim_compute_ns(static_cast<std::uint64_t>(ns));
  gex_AM_ReplyShort0(token, kPong, 0);
}
void pong(gex_Token_t token) { ++static_cast<State*>(Member::state_of(token))->replies; }
void ask_for_payload(gex_Token_t token, gex_AM_Arg_t bytes) {
  State& state = *static_cast<State*>(Member::state_of(token));
  gex_AM_ReplyMedium0(token, kPongWithPayload, state.block.data(), static_cast<std::size_t>(bytes),
                      GEX_EVENT_NOW, 0);
}
void pong_with_payload(gex_Token_t token, void*, std::size_t) { pong(token); }

template <class Handler>
gex_AM_Entry_t entry(gex_AM_Index_t index, Handler* handler, gex_Flags_t flags, unsigned arguments,
                     const char* name) {
  return {index, reinterpret_cast<gex_AM_Fn_t>(handler), flags, arguments, nullptr, name};
}

std::vector<gex_AM_Entry_t> handlers() {
  constexpr gex_Flags_t kRequest = GEX_FLAG_AM_REQUEST, kReply = GEX_FLAG_AM_REPLY;
  return {entry(kPing, ping, GEX_FLAG_AM_SHORT | kRequest, 0, "ping"),
          entry(kPingWithPayload, ping_with_payload, GEX_FLAG_AM_MEDIUM | kRequest, 0, "ping with payload"),
          entry(kMeet, meet, GEX_FLAG_AM_SHORT | kRequest, 0, "meet"),
          entry(kCompute, compute, GEX_FLAG_AM_SHORT | kRequest, 1, "compute"),
          entry(kPong, pong, GEX_FLAG_AM_SHORT | kReply, 0, "pong"),
          entry(kAskForPayload, ask_for_payload, GEX_FLAG_AM_SHORT | kRequest, 1, "ask for payload"),
          entry(kPongWithPayload, pong_with_payload, GEX_FLAG_AM_MEDIUM | kReply, 0, "pong with payload")};
}

double now() { return static_cast<double>(aqueduct_sim_time_ns()); }

/// Rank 0's side of all series.
class Probe {
 public:
  Probe(const Member& me, State& state, unsigned rounds) : me_(me), state_(state), rounds_(rounds) {}

  void run() {
    for (unsigned i = 0; i < kWarmUp; ++i) send_and_wait(0);
    find_delay();
    one_by_one(0);
    for (const std::size_t bytes : kSizes) one_by_one(bytes);
    to_busy(0);
    to_busy(kSizes[4]);
    for (const unsigned count : kTogether) together(count);
    for (const unsigned count : kApart) apart(count);
    for (const unsigned count : kFloods) flood(count);
    for (const std::size_t bytes : kSizes) stream(bytes);
    polls();
  }

 private:
  void send(std::size_t bytes) {
    if (bytes == 0) {
      gex_AM_RequestShort0(me_.team(), 1, kPing, 0);
    } else {
      gex_AM_RequestMedium0(me_.team(), 1, kPingWithPayload, state_.block.data(), bytes, GEX_EVENT_NOW, 0);
    }
    ++sent_;
  }
  void wait() { GASNET_BLOCKUNTIL(state_.replies >= sent_); }
  void send_and_wait(std::size_t bytes) {
    send(bytes);
    wait();
  }
  /// Until everything that a message has left behind, such as acknowledgements, is over.
  void let_pass() {
    const double end = now() + kPauses * delay_ns_;
    while (now() < end) gasnet_AMPoll();
  }
  void compute() { aqueduct_sim_compute_ns(static_cast<std::uint64_t>(delay_ns_)); }

  /// Three round trips of the largest message.
  void find_delay() {
    const std::size_t bytes = std::max(kSizes[std::size(kSizes) - 1], std::size_t{0});
    std::vector<double> times;
    for (unsigned i = 0; i < kWarmUp; ++i) {
      const double start = now();
      send_and_wait(bytes);
      times.push_back(now() - start);
    }
    std::ranges::nth_element(times, times.begin() + kWarmUp / 2);
    delay_ns_ = 3 * times[kWarmUp / 2];
  }

  void one_by_one(std::size_t bytes) {
    for (unsigned i = 0; i < rounds_; ++i) {
      let_pass();
      const double start = now();
      send(bytes);
      const double is_out = now();
      wait();
      record("send", bytes, is_out - start);
      record("round_trip", bytes, now() - start);
    }
    for (unsigned i = 0; i < rounds_; ++i) {
      let_pass();
      if (bytes == 0) {
        send(0);
      } else {
        gex_AM_RequestShort1(me_.team(), 1, kAskForPayload, 0, static_cast<gex_AM_Arg_t>(bytes));
        ++sent_;
      }
      compute();
      const double start = now();
      wait();
      record("receive", bytes, now() - start);
    }
  }

  void to_busy(std::size_t bytes) {
    for (unsigned i = 0; i < rounds_; ++i) {
      let_pass();
      gex_AM_RequestShort1(me_.team(), 1, kCompute, 0, static_cast<gex_AM_Arg_t>(3 * delay_ns_));
      ++sent_;
      compute();
      const double start = now();
      send(bytes);
      record("send_to_busy", bytes, now() - start);
      wait();
    }
  }

  void together(unsigned count) {
    for (unsigned i = 0; i < rounds_; ++i) {
      let_pass();
      const double start = now();
      for (unsigned j = 0; j < count; ++j) send(0);
      record("send_together", count, now() - start);
      for (unsigned j = 0; j < 2; ++j) compute();
      const double lie_there = now();
      wait();
      record("receive_together", count, now() - lie_there);
    }
  }

  void apart(unsigned count) {
    for (unsigned i = 0; i < rounds_; ++i) {
      let_pass();
      for (unsigned j = 0; j < count; ++j) {
        send(0);
        compute();
      }
      const double lie_there = now();
      wait();
      record("receive_apart", count, now() - lie_there);
    }
  }

  void flood(unsigned count) {
    for (unsigned i = 0; i < rounds_ / 4 + 1; ++i) {
      let_pass();
      const double start = now();
      for (unsigned j = 0; j < count; ++j) send(0);
      wait();
      record("flood", count, now() - start);
    }
  }

  void stream(std::size_t bytes) {
    for (unsigned i = 0; i < rounds_ / 4 + 1; ++i) {
      let_pass();
      const double start = now();
      for (unsigned j = 0; j < kStream; ++j) send(bytes);
      wait();
      record("stream", bytes, (now() - start) / kStream);
    }
  }

  void polls() {
    for (unsigned i = 0; i < rounds_; ++i) {
      send_and_wait(0);
      gasnet_AMPoll();
      const double start = now();
      gasnet_AMPoll();
      record("poll", 1, now() - start);
    }
  }

  static constexpr double kPauses = 2;

  const Member& me_;
  State& state_;
  unsigned rounds_;
  std::uint64_t sent_ = 0;
  double delay_ns_ = 10'000;
};

/// Both ranks send at once and wait for each other's request.
void exchange(const Member& me, State& state, unsigned rounds) {
  constexpr unsigned kUnmeasured = 20;
  for (unsigned i = 0; i < rounds + kUnmeasured; ++i) {
    const double start = now();
    gex_AM_RequestShort0(me.team(), 1 - me.rank(), kMeet, 0);
    GASNET_BLOCKUNTIL(state.meetings > i);
    if (i >= kUnmeasured && me.rank() == 0) record("exchange", 0, now() - start);
  }
}

}  // namespace

int loggp(const Parameters& parameters) {
  State state;
  state.block.resize(kSizes[std::size(kSizes) - 1]);
  std::vector<gex_AM_Entry_t> entries = handlers();
  const Member me(1, &state, entries);
  if (me.size() != 2) fatal("loggp", "this is measured between 2 ranks, not %u: --nodes 2", me.size());
  me.barrier();
  if (me.rank() == 0) Probe(me, state, parameters.rounds_or(40)).run();
  me.barrier();
  exchange(me, state, parameters.rounds_or(40));
  me.barrier();
  return 0;
}

}  // namespace aqueduct::scenarios
