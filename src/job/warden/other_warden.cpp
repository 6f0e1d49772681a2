#include "job/warden/other_warden.hpp"

#include <fcntl.h>

#include <algorithm>
#include <climits>
#include <csignal>

#include "base/clock.hpp"

namespace aqueduct::job::warden {
namespace other {

constexpr std::uint64_t kMillisecondNs = 1'000'000;
/// While it looks for the first warden.
constexpr int kTickMs = 5;
/// How long it waits in the end for the first warden to close the connection.
constexpr std::uint64_t kFarewellNs = 2'000 * kMillisecondNs;

std::uint64_t now_ns() { return machine_clock().now_ns(); }

Greeting greeting_of(const Plan& plan) {
  Greeting greeting;
  greeting.purpose = Greeting::Purpose::kReport;
  greeting.number = plan.machine;
  greeting.participants = plan.machines.hosts();
  return greeting;
}

std::vector<RankId> own_ranks(const Plan& plan) {
  std::vector<RankId> ranks;
  for (RankId local = 0; local < plan.machines.local_size(plan.machine); ++local)
    ranks.push_back(plan.machines.rank_at(plan.machine, local));
  return ranks;
}

}  // namespace other

OtherWarden::OtherWarden(Plan plan, Descriptor memory, Descriptor enrolment)
    : plan_(std::move(plan)),
      start_end_ns_(other::now_ns() + static_cast<std::uint64_t>(plan_.timeout_ms) * other::kMillisecondNs),
      ranks_(std::move(memory), std::move(enrolment), other::own_ranks(plan_), events_, *this),
      greeter_(std::in_place, plan_.first, other::greeting_of(plan_), plan_.key,
               std::chrono::milliseconds(plan_.timeout_ms)) {}

void OtherWarden::run() {
  while (!has_finished_ || (link_ && !link_->is_closed() && other::now_ns() < over_ns_)) {
    for (const Event& event : events_.wait(timeout_ms())) {
      ranks_.serve(event);
      if (event.kind == EventKind::kLinkIn || event.kind == EventKind::kLinkOut) serve_link();
    }
    if (greeter_) connect();
    keep_time();
    look_who_is_missing();
    if (ranks_.have_all_ended() && (ranks_.are_all_here() || has_given_up_ || has_lost_first_)) finish();
  }
}

void OtherWarden::take(const RankEvent& event) {
  if (!link_) return untold_.push_back(event);
  link_->send(agent::Happened{static_cast<std::uint8_t>(event.kind), event.rank, event.number, event.text});
}

int OtherWarden::timeout_ms() const {
  if (greeter_) return other::kTickMs;
  std::uint64_t next = heartbeat_ ? heartbeat_->next_ns() : Heartbeat::kForever;
  if (!ranks_.are_all_here() && !has_given_up_) next = std::min(next, start_end_ns_);
  next = std::min(next, over_ns_);
  if (next == Heartbeat::kForever) return -1;
  const std::uint64_t now = other::now_ns();
  const std::uint64_t wait_ms = next > now ? (next - now) / other::kMillisecondNs + 1 : 0;
  return static_cast<int>(std::min<std::uint64_t>(wait_ms, INT_MAX));
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
  const bool is_welcome =
      greeter_->answer().version == kGreetingVersion && greeter_->answer().verdict == Verdict::kWelcome;
  if (!is_welcome) return lose_first("does not take this one in");
  Descriptor socket = greeter_->take_connection();
  const int copy = ::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0);
  greeter_.reset();
  link_ = std::make_unique<agent::Link>(std::move(socket), Descriptor(copy), false);
  link_->watch(events_, 0);
  heartbeat_.emplace(plan_.patience_ms, other::now_ns());
  for (; !untold_.empty(); untold_.pop_front()) take(untold_.front());
}

void OtherWarden::serve_link() {
  if (!link_ || has_lost_first_) return;
  link_->flush();
  if (link_->receive()) heartbeat_->heard(other::now_ns());
  while (const std::optional<agent::Message> message = link_->next()) hear(*message);
  if (has_finished_) return;
  if (link_->is_garbled()) return lose_first("says what no warden says");
  if (link_->is_closed()) lose_first("has closed its connection: it was killed, or its host is down");
}

void OtherWarden::hear(const agent::Message& message) {
  if (const auto* leave = std::get_if<agent::Leave>(&message)) {
    ranks_.order_to_leave(leave->code);
    ranks_.signal(SIGCONT);  // a stopped rank could not follow
  } else if (const auto* signal = std::get_if<agent::Signal>(&message)) {
    ranks_.signal(signal->number);
  } else if (std::holds_alternative<agent::Look>(message)) {
    ranks_.look_who_waits();
  } else if (!std::holds_alternative<agent::Beat>(message)) {
    lose_first("says what no warden says");
  }
}

void OtherWarden::keep_time() {
  if (!heartbeat_ || has_lost_first_) return;
  const std::uint64_t now = other::now_ns();
  if (heartbeat_->should_beat(now)) link_->send(agent::Beat{plan_.patience_ms});
  if (heartbeat_->is_silent(now))
    lose_first("has been silent for too long (AQUEDUCT_HEARTBEAT): its host is down or out of reach");
}

void OtherWarden::look_who_is_missing() {
  if (ranks_.are_all_here() || has_given_up_ || other::now_ns() < start_end_ns_) return;
  has_given_up_ = true;
  for (const RankId missing : ranks_.missing()) {
    take({RankEvent::Kind::kAborted, missing, 0, describe_missing(missing)});
    take({RankEvent::Kind::kEnded, missing, 0, {}});
  }
}

/// Says good-bye, and leaves the connection to the first warden to close: what it has not read would be lost
/// with this end of it.
void OtherWarden::finish() {
  if (has_finished_) return;
  has_finished_ = true;
  over_ns_ = other::now_ns() + other::kFarewellNs;
  if (link_ && !has_lost_first_) link_->send(agent::Finished{});
}

void OtherWarden::lose_first(const std::string& what) {
  if (has_lost_first_) return;
  has_lost_first_ = true;
  greeter_.reset();
  if (link_) link_->close();
  heartbeat_.reset();
  if (!ranks_.have_all_ended() || !ranks_.are_all_here())
    say("aqueduct: the warden of the job's first host, " + plan_.names[0] + ", " + what +
        "; the ranks of host " + plan_.names[plan_.machine] + " end");
  ranks_.signal(SIGKILL);
}

}  // namespace aqueduct::job::warden
