#include "watch/counter_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "observe/hang_report.hpp"
#include "observe/words.hpp"

namespace aqueduct::watch {
namespace {

using observe::PeerCounts;
using observe::ProcessState;
using observe::RankState;

constexpr std::size_t kWaitColumns = 17;

const observe::Wait* wait_of(const RankState& state) {
  for (const observe::ThreadState& thread : state.threads) {
    if (thread.wait.kind != observe::WaitKind::kNothing) return &thread.wait;
  }
  return nullptr;
}

std::string state_word(const RankState& state) {
  switch (state.process) {
    case ProcessState::kNotStarted:
      return "starts";
    case ProcessState::kStopped:
      return "STOPPED";
    case ProcessState::kTraced:
      return "traced";
    case ProcessState::kGone:
      return "left";
    case ProcessState::kCrashed:
      return "crashed";
    case ProcessState::kSilent:
      return "silent";
    case ProcessState::kRuns:
    case ProcessState::kSleeps:
      break;
  }
  if (wait_of(state)) return "waits";
  return state.process == ProcessState::kRuns ? "runs" : "sleeps";
}

std::uint64_t in_flight(const PeerCounts& counts) {
  return observe::difference(observe::requests_of(counts), counts.settled + counts.replies_received);
}

/// Between neighbours alone it is known when a request without a reply has been handled.
std::uint64_t in_flight(const RankState& state) {
  std::uint64_t sum = 0;
  for (const observe::PeerState& peer : state.peers) {
    if (peer.counts.is_neighbour != 0) sum += in_flight(peer.counts);
  }
  return sum;
}

const RankState* find(const std::vector<RankState>* states, RankId rank) {
  if (!states) return nullptr;
  const auto found =
      std::find_if(states->begin(), states->end(), [&](const RankState& s) { return s.rank == rank; });
  return found == states->end() ? nullptr : &*found;
}

}  // namespace

std::string short_number(double number) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
  unsigned unit = 0;
  while (number >= 9999.5 && unit + 1 < std::size(kUnits)) {
    number /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}f}{}", number, number < 99.95 ? 1 : 0, kUnits[unit]);
}

PeerCounts sum_of(const RankState& state) {
  PeerCounts sum{};
  for (const observe::PeerState& peer : state.peers) add_words(sum, peer.counts);
  return sum;
}

std::string rank_table(const std::vector<RankState>& now, const std::vector<RankState>* before,
                       double seconds, std::size_t most_ranks) {
  const char* const each = before ? "/s" : "";
  std::string text =
      fmt::format("{:>5} {:<7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {}\n", "RANK", "STATE",
                  fmt::format("SENT{}", each), fmt::format("RECV{}", each), fmt::format("BYTE{}", each),
                  "FLIGHT", "STALLS", fmt::format("POLL{}", each), "SLEEPS", "WAITS FOR");
  std::size_t lines = 0;
  for (const RankState& state : now) {
    if (most_ranks != 0 && lines++ == most_ranks) {
      text += fmt::format("and {} more\n", now.size() - most_ranks);
      break;
    }
    const PeerCounts sum = sum_of(state);
    const RankState* const earlier = find(before, state.rank);
    const PeerCounts old_sum = earlier ? sum_of(*earlier) : PeerCounts{};
    const double scale = earlier ? 1 / seconds : 1;
    const auto rate = [&](std::uint64_t newer, std::uint64_t older) {
      return short_number(static_cast<double>(observe::difference(newer, earlier ? older : 0)) * scale);
    };
    const std::uint64_t operations = sum.puts + sum.gets + sum.atomics;
    const std::uint64_t old_operations = old_sum.puts + old_sum.gets + old_sum.atomics;
    const observe::Wait* const wait = wait_of(state);
    std::string waits = wait ? observe::name_wait(*wait) : "";
    if (waits.size() > kWaitColumns) waits = waits.substr(0, kWaitColumns - 2) + "..";
    text += fmt::format("{:>5} {:<7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {}\n", state.rank,
                        state_word(state),
                        rate(observe::sent_of(sum) + operations, observe::sent_of(old_sum) + old_operations),
                        rate(observe::received_of(sum), observe::received_of(old_sum)),
                        rate(sum.bytes + sum.bytes_received, old_sum.bytes + old_sum.bytes_received),
                        short_number(static_cast<double>(in_flight(state))), rate(sum.stalls, old_sum.stalls),
                        rate(state.done.polls, earlier ? earlier->done.polls : 0),
                        rate(state.done.sleeps, earlier ? earlier->done.sleeps : 0), waits);
  }
  return text;
}

std::string peer_table(const RankState& state) {
  std::string text = fmt::format(
      "{:>5} {:>6} {:>6} {:>6} {:>6} {:>5} {:>5} {:>5} {:>6} {:>6} {:>6} {:>5} {:>5}\n", "PEER", "SHORT",
      "MEDIUM", "LONG", "REPLY", "PUT", "GET", "ATOM", "BYTES", "RECV", "FLIGHT", "STALL", "REFUS");
  const auto number = [](std::uint64_t value) { return short_number(static_cast<double>(value)); };
  for (const observe::PeerState& peer : state.peers) {
    const PeerCounts& counts = peer.counts;
    text += fmt::format("{:>5} {:>6} {:>6} {:>6} {:>6} {:>5} {:>5} {:>5} {:>6} {:>6} {:>6} {:>5} {:>5}\n",
                        peer.peer, number(counts.short_requests), number(counts.medium_requests),
                        number(counts.long_requests), number(counts.replies), number(counts.puts),
                        number(counts.gets), number(counts.atomics), number(counts.bytes),
                        number(observe::received_of(counts)),
                        counts.is_neighbour != 0 ? number(in_flight(counts)) : "-", number(counts.stalls),
                        number(counts.refused));
  }
  const observe::ThreadCounts& done = state.done;
  return text +
         fmt::format("polls {}, sleeps {}, slow waits {}, waits for locks {}, barriers {}, collectives {}\n",
                     number(done.polls), number(done.sleeps), number(done.slow_waits),
                     number(done.lock_waits), number(done.barriers), number(done.collectives));
}

}  // namespace aqueduct::watch
