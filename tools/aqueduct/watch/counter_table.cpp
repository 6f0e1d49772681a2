#include "watch/counter_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "observe/hang_report.hpp"
#include "observe/words.hpp"
#include "watch/in_flight.hpp"

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

std::uint64_t all_in_flight(const std::vector<RankState>& states, const RankState& state) {
  std::uint64_t sum = 0;
  for (const observe::PeerState& peer : state.peers) sum += in_flight(states, state, peer).all();
  return sum;
}

std::string number(std::uint64_t value) { return observe::short_number(static_cast<double>(value)); }

const RankState* find(const std::vector<RankState>* states, RankId rank) {
  if (!states) return nullptr;
  const auto found =
      std::find_if(states->begin(), states->end(), [&](const RankState& s) { return s.rank == rank; });
  return found == states->end() ? nullptr : &*found;
}

}  // namespace

PeerCounts sum_of(const std::vector<RankState>& states, const RankState& state) {
  PeerCounts sum{};
  for (const observe::PeerState& peer : state.peers) {
    add_words(sum, peer.counts);
    sum.short_requests += short_requests(states, state, peer) - peer.counts.short_requests;
  }
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
    const PeerCounts sum = sum_of(now, state);
    const RankState* const earlier = find(before, state.rank);
    const PeerCounts old_sum = earlier ? sum_of(*before, *earlier) : PeerCounts{};
    const double scale = earlier ? 1 / seconds : 1;
    const auto rate = [&](std::uint64_t newer, std::uint64_t older) {
      return observe::short_number(static_cast<double>(observe::difference(newer, earlier ? older : 0)) *
                                   scale);
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
                        number(all_in_flight(now, state)), rate(sum.stalls, old_sum.stalls),
                        rate(state.done.polls, earlier ? earlier->done.polls : 0),
                        rate(state.done.sleeps, earlier ? earlier->done.sleeps : 0), waits);
  }
  return text;
}

namespace {

/// One line of the table, in aligned columns.
std::string line_of(const std::string& peer, const char* what, const std::vector<std::string>& cells) {
  std::string line = fmt::format("{:>5} {:<9}", peer, what);
  for (const std::string& cell : cells) line += fmt::format(" {:>6}", cell);
  return line + "\n";
}

std::string message_lines(const std::vector<RankState>& states, const RankState& state,
                          const observe::PeerState& peer) {
  const PeerCounts& counts = peer.counts;
  const InFlight flight = in_flight(states, state, peer);
  const auto messages = [&](std::uint64_t value) { return flight.knows_messages ? number(value) : "-"; };
  return line_of(std::to_string(peer.peer), "sent",
                 {number(short_requests(states, state, peer)), number(counts.medium_requests),
                  number(counts.long_requests), number(counts.replies), number(counts.puts),
                  number(counts.gets), number(counts.atomics), number(counts.bytes)}) +
         line_of("", "received",
                 {number(observe::short_received_of(counts)), number(counts.medium_received),
                  number(counts.long_received), number(counts.replies_received), number(counts.puts_served),
                  number(counts.gets_served), number(counts.atomics_served), number(counts.bytes_received)}) +
         line_of(
             "", "in flight",
             {messages(flight.shorts), messages(flight.mediums), messages(flight.longs),
              messages(flight.replies), number(flight.puts), number(flight.gets), number(flight.atomics)});
}

/// "mailbox 3, credits 1", as many as fit in a line; further lines are indented.
std::string reasons_of(const PeerCounts& counts, std::size_t indent) {
  constexpr std::size_t kColumns = 80;
  std::string text;
  std::size_t column = indent;
  for (const std::string& reason : observe::name_retries(counts)) {
    if (!text.empty()) {
      const bool fits = column + reason.size() + 3 <= kColumns;
      text += fits ? ", " : ",\n" + std::string(indent, ' ');
      column = fits ? column + 2 : indent;
    }
    text += reason;
    column += reason.size();
  }
  return text;
}

/// Lines for peers with sends that had to wait or were repeated.
std::string retry_lines(const RankState& state) {
  std::string text;
  for (const observe::PeerState& peer : state.peers) {
    const PeerCounts& counts = peer.counts;
    const std::string line =
        fmt::format("{:>5} {:>6} {:>7}  ", peer.peer, number(counts.stalls), number(counts.refused));
    const std::string reasons = reasons_of(counts, line.size());
    if (counts.stalls != 0 || counts.refused != 0 || !reasons.empty()) text += line + reasons + "\n";
  }
  if (text.empty()) return "";
  return fmt::format("{:>5} {:>6} {:>7}  {}\n", "PEER", "STALLS", "REFUSED", "RETRIES BY REASON") + text;
}

}  // namespace

std::string peer_table(const std::vector<RankState>& states, const RankState& state) {
  std::string text =
      line_of("PEER", "", {"SHORT", "MEDIUM", "LONG", "REPLY", "PUT", "GET", "ATOMIC", "BYTES"});
  for (const observe::PeerState& peer : state.peers) {
    PeerCounts counts = peer.counts;
    counts.is_neighbour = counts.has_died = 0;
    if (counts != PeerCounts{}) text += message_lines(states, state, peer);
  }
  const observe::ThreadCounts& done = state.done;
  std::string devices;
  if (done.device_copies != 0) {
    devices += fmt::format("copies on devices {}, bytes in them {}\n", number(done.device_copies),
                           number(done.device_bytes));
  }
  if (done.device_direct != 0 || done.device_staged != 0) {
    devices += fmt::format("transfers of devices by the network {}, staged {}\n", number(done.device_direct),
                           number(done.device_staged));
  }
  return text + retry_lines(state) +
         fmt::format("polls {}, sleeps {}, slow waits {}, waits for locks {},\nbarriers {}, collectives {}\n",
                     number(done.polls), number(done.sleeps), number(done.slow_waits),
                     number(done.lock_waits), number(done.barriers), number(done.collectives)) +
         devices;
}

}  // namespace aqueduct::watch
