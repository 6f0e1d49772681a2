#include "job/inspection/state_collector.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "observe/hang_report.hpp"

namespace aqueduct::job {

StateCollector::StateCollector(RankId ranks, net::EventSet& events, AskHosts ask_hosts, Say say)
    : ranks_(ranks),
      inquiries_(events, [this] { ask(machine_clock().now_ns()); }),
      ask_hosts_(std::move(ask_hosts)),
      say_(std::move(say)) {}

void StateCollector::rank_asks(std::uint64_t now_ns) {
  if (wants_report_ || (reported_ns_ != 0 && now_ns - reported_ns_ < kBetweenReportsNs)) return;
  wants_report_ = true;
  ask(now_ns);
}

void StateCollector::ask(std::uint64_t now_ns) {
  InspectOptions wanted = inquiries_.are_waiting() ? inquiries_.wanted() : InspectOptions{};
  wanted.with_stacks |= wants_report_;
  const bool is_more =
      (wanted.with_stacks && !asked_.with_stacks) || (wanted.with_counters && !asked_.with_counters);
  if (is_asking_ && !is_more) return;
  asked_ = wanted;
  is_asking_ = true;
  states_.clear();
  answer_by_ns_ = now_ns + kPatienceNs;
  missing_ = ~std::size_t{0};  // some hosts answer before we know how many will
  const std::size_t hosts = ask_hosts_(wanted);
  missing_ -= ~std::size_t{0} - hosts;
  if (missing_ == 0) conclude(now_ns);
}

void StateCollector::take_states(std::vector<observe::RankState> states) {
  if (!is_asking_) return;  // this host has answered too late
  std::move(states.begin(), states.end(), std::back_inserter(states_));
  if (--missing_ == 0) conclude(machine_clock().now_ns());
}

void StateCollector::keep_time(std::uint64_t now_ns) {
  if (is_asking_ && now_ns >= answer_by_ns_) conclude(now_ns);
}

void StateCollector::conclude(std::uint64_t now_ns) {
  std::sort(states_.begin(), states_.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  std::vector<observe::RankState> all(ranks_);
  for (RankId rank = 0; rank < ranks_; ++rank) {
    all[rank].rank = rank;
    all[rank].process = observe::ProcessState::kSilent;
  }
  for (observe::RankState& state : states_) {
    if (state.rank < ranks_) all[state.rank] = std::move(state);
  }
  is_asking_ = false;
  states_.clear();
  if (inquiries_.are_waiting()) inquiries_.answer(all);
  if (!wants_report_) return;
  wants_report_ = false;
  reported_ns_ = now_ns;
  std::string text = "aqueduct: what the ranks of this job wait for:\n" + observe::hang_report(all, {});
  const auto has_lines = [](const observe::RankState& state) { return !state.files.empty(); };
  if (std::any_of(all.begin(), all.end(), has_lines))
    text += "  lines of source for these stacks: aqueduct explain " + std::to_string(::getpid()) + "\n";
  say_(text);
}

}  // namespace aqueduct::job
