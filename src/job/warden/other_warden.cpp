#include "job/warden/other_warden.hpp"

#include <algorithm>
#include <csignal>

#include "base/clock.hpp"

namespace aqueduct::job::warden {
namespace {

/// Between two attempts to reach the first warden.
constexpr std::uint64_t kTickNs = 5'000'000;
/// How long it waits for the first warden to close the connection.
constexpr std::uint64_t kFarewellNs = 2'000'000'000;

std::uint64_t clock_now_ns() { return machine_clock().now_ns(); }

Greeting greeting_of(const WardenPlan& plan) {
  Greeting greeting;
  greeting.purpose = Greeting::Purpose::kReport;
  greeting.number = plan.machine;
  greeting.participants = plan.machines.hosts();
  return greeting;
}

}  // namespace

OtherWarden::OtherWarden(WardenPlan plan, net::Descriptor memory, net::Descriptor enrolment)
    : plan_(std::move(plan)),
      start_end_ns_(start_end_ns(plan_)),
      ranks_(plan_, std::move(memory), std::move(enrolment), events_, *this),
      greeter_(std::in_place, plan_.first, greeting_of(plan_), plan_.key,
               std::chrono::milliseconds(plan_.timeout_ms)) {
  describe_to_others(plan_, ranks_.memory_fd(), "", "the warden on " + plan_.names[0]);
}

void OtherWarden::run() {
  while (!has_finished_ || (connection_ && !connection_->is_closed() && clock_now_ns() < over_ns_)) {
    events_.wait_until(next_time_ns());
    while (events_.serve_next()) {
    }
    if (greeter_) connect();
    keep_time();
    look_who_is_missing();
    if (ranks_.have_all_ended() && (ranks_.are_all_here() || has_given_up_ || has_lost_first_)) finish();
  }
}

void OtherWarden::take(const RankEvent& event) {
  if (!connection_) return untold_.push_back(event);
  connection_->send(agent::happened(event));
}

void OtherWarden::take_states(std::vector<observe::RankState> states) {
  if (connection_ && !has_lost_first_) connection_->send(agent::Inspected{observe::encode(states)});
}

std::uint64_t OtherWarden::next_time_ns() const {
  if (greeter_) return clock_now_ns() + kTickNs;
  std::uint64_t next = over_ns_;
  if (connection_ && !has_lost_first_) next = std::min(next, connection_->next_ns());
  if (!ranks_.are_all_here() && !has_given_up_) next = std::min(next, start_end_ns_);
  return next;
}

void OtherWarden::connect() {
  switch (greeter_->advance()) {
    case Greeter::State::kUnderWay:
      return;
    case Greeter::State::kClosed:
      return lose_first("cannot be reached at " + plan_.first.text() + ": " + greeter_->why());
    case Greeter::State::kAnswered:
      break;
  }
  const bool is_welcome = greeter_->answer().version == kGreetingVersion &&
                          greeter_->answer().verdict == GreetingVerdict::kWelcome;
  if (!is_welcome) return lose_first("does not take this one in");
  connection_ = std::make_unique<WardenConnection>(greeter_->take_connection(), plan_.patience_ms, events_,
                                                   [this] { serve_connection(); });
  greeter_.reset();
  for (; !untold_.empty(); untold_.pop_front()) take(untold_.front());
}

void OtherWarden::serve_connection() {
  if (!connection_ || has_lost_first_) return;
  const std::string wrong = connection_->serve([this](const agent::RankMessage& message) { hear(message); });
  if (!wrong.empty() && !has_finished_) lose_first(wrong);
}

void OtherWarden::hear(const agent::RankMessage& message) {
  if (const auto* leave = std::get_if<agent::Leave>(&message)) {
    ranks_.order_to_leave(leave->code);
  } else if (const auto* signal = std::get_if<agent::Signal>(&message)) {
    ranks_.signal(signal->number);
  } else if (std::holds_alternative<agent::Look>(message)) {
    ranks_.look_who_waits();
  } else if (const auto* inspect = std::get_if<agent::Inspect>(&message)) {
    ranks_.inspect({inspect->with_stacks, inspect->with_counters});
  } else if (const auto* died = std::get_if<agent::Died>(&message);
             died && died->rank < plan_.machines.size()) {
    ranks_.tell_failed(died->rank);
  } else if (!std::holds_alternative<agent::Beat>(message)) {
    lose_first(WardenConnection::kNonsense);
  }
}

void OtherWarden::keep_time() {
  if (!connection_ || has_lost_first_) return;
  if (const std::string wrong = connection_->keep_time(); !wrong.empty()) lose_first(wrong);
}

void OtherWarden::look_who_is_missing() {
  if (ranks_.are_all_here() || has_given_up_ || clock_now_ns() < start_end_ns_) return;
  has_given_up_ = true;
  for (const RankId missing : ranks_.missing()) {
    take({RankEvent::Kind::kAborted, missing, 0, describe_missing(missing)});
    take({RankEvent::Kind::kEnded, missing, 0, {}});
  }
}

/// Sends its last message and lets the first warden close the connection: closing this end could lose bytes
/// that the first warden has not read.
void OtherWarden::finish() {
  if (has_finished_) return;
  has_finished_ = true;
  over_ns_ = clock_now_ns() + kFarewellNs;
  if (connection_ && !has_lost_first_) connection_->send(agent::Finished{});
}

void OtherWarden::lose_first(const std::string& what) {
  if (has_lost_first_) return;
  has_lost_first_ = true;
  greeter_.reset();
  if (connection_) connection_->close();
  if (!ranks_.have_all_ended() || !ranks_.are_all_here())
    say("aqueduct: the warden of the job's first host, " + plan_.names[0] + ", " + what +
        "; the ranks of host " + plan_.names[plan_.machine] + " end");
  ranks_.signal(SIGKILL);
}

}  // namespace aqueduct::job::warden
