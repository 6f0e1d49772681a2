#include "job/warden/foreign_job.hpp"

#include <algorithm>
#include <csignal>

#include "base/clock.hpp"

namespace aqueduct::job::warden {
namespace {

Ending::HostName host_names(const WardenPlan& plan) {
  if (plan.machines.hosts() == 1) return {};
  return
      [machines = plan.machines, names = plan.names](RankId rank) { return names[machines.host_of(rank)]; };
}

}  // namespace

ForeignJob::ForeignJob(WardenPlan plan, net::Descriptor memory, net::Descriptor enrolment,
                       Supervision& supervision)
    : plan_(std::move(plan)),
      supervision_(supervision),
      start_end_ns_(start_end_ns(plan_)),
      here_(plan_, std::move(memory), std::move(enrolment), supervision.events(), supervision),
      rendezvous_(std::move(plan_.rendezvous), supervision.events()),
      visitors_(plan_.key, Greeting::Purpose::kReport, plan_.machines.hosts()),
      others_(plan_.machines.hosts()) {
  describe_to_others(plan_, here_.memory_fd(), plan_.machines.hosts() > 1 ? supervision.open_inquiries() : "",
                     "");
  others_[0].is_gone = true;  // this host
  if (plan_.listener)
    supervision.events().watch(plan_.listener.get(), EPOLLIN, [this](std::uint32_t) { serve_newcomers(); });
}

void ForeignJob::signal(int number) {
  tell_others(agent::Signal{number});
  here_.signal(number);
}

void ForeignJob::terminate(int code) {
  tell_others(agent::Leave{code});
  here_.order_to_leave(code);
}

void ForeignJob::look_who_waits() {
  here_.look_who_waits();
  tell_others(agent::Look{});
}

void ForeignJob::inspect(const InspectOptions& look) {
  tell_others(agent::Inspect{look.with_stacks, look.with_counters});
  here_.inspect(look);
}

std::size_t ForeignJob::hosts_to_answer() const {
  return 1 + static_cast<std::size_t>(std::count_if(others_.begin(), others_.end(),
                                                    [](const Other& other) { return other.is_here(); }));
}

void ForeignJob::tell_failed(RankId rank) {
  here_.tell_failed(rank);
  tell_others(agent::Died{rank});
}

std::uint64_t ForeignJob::next_time_ns() const {
  std::uint64_t next = ~std::uint64_t{0};
  bool is_complete = here_.are_all_here();
  for (const Other& other : others_) {
    if (other.is_gone) continue;
    is_complete = is_complete && other.connection;
    if (other.connection) next = std::min(next, other.connection->next_ns());
  }
  return is_complete ? next : std::min(next, start_end_ns_);
}

void ForeignJob::serve_newcomers() {
  if (!plan_.listener) return;
  visitors_.serve(plan_.listener.get(), [this](const Greeting& greeting, net::Descriptor& connection) {
    return admit(greeting, connection);
  });
  // The set refuses descriptors that it watches already; closing a descriptor ends its watch.
  std::vector<pollfd> polled;
  visitors_.add_to_poll(polled);
  for (const pollfd& each : polled)
    supervision_.events().watch(each.fd, EPOLLIN, [this](std::uint32_t) { serve_newcomers(); });
}

/// Called once all other wardens have come, or the wait for them is over.
void ForeignJob::stop_listening() {
  const bool is_complete = std::all_of(others_.begin(), others_.end(),
                                       [](const Other& other) { return other.connection || other.is_gone; });
  if (!plan_.listener || !is_complete) return;
  visitors_.clear();
  plan_.listener.close();
}

GreetingAnswer ForeignJob::admit(const Greeting& greeting, net::Descriptor& connection) {
  GreetingAnswer answer;
  answer.number = greeting.number;
  Other& other = others_[greeting.number];
  if (other.connection || other.is_gone) {
    answer.verdict = GreetingVerdict::kTaken;
    return answer;
  }
  const HostId machine = greeting.number;
  supervision_.events().unwatch(connection.get());
  other.connection =
      std::make_unique<WardenConnection>(std::move(connection), plan_.patience_ms, supervision_.events(),
                                         [this, machine] { serve_other(machine); });
  return answer;
}

void ForeignJob::serve_other(HostId machine) {
  Other& other = others_[machine];
  if (!other.is_here()) return;
  const std::string wrong =
      other.connection->serve([&](const agent::RankMessage& message) { hear(machine, message); });
  if (!wrong.empty()) lose(machine, wrong);
}

void ForeignJob::hear(HostId machine, const agent::RankMessage& message) {
  const auto is_theirs = [&](RankId rank) {
    return rank < plan_.machines.size() && plan_.machines.host_of(rank) == machine;
  };
  if (const auto* happened = std::get_if<agent::Happened>(&message)) {
    const std::optional<RankEvent> event = agent::event_in(*happened);
    if (!event || !is_theirs(event->rank)) return lose(machine, "tells of ranks that it has not");
    return supervision_.take(*event);
  }
  if (const auto* inspected = std::get_if<agent::Inspected>(&message)) {
    std::optional<std::vector<observe::RankState>> states = observe::decode(inspected->states);
    if (!states || !std::all_of(states->begin(), states->end(),
                                [&](const observe::RankState& state) { return is_theirs(state.rank); }))
      return lose(machine, "tells of ranks that it has not");
    return supervision_.take_states(std::move(*states));
  }
  if (std::holds_alternative<agent::Finished>(message)) {
    others_[machine].is_gone = true;
    return others_[machine].connection->close();
  }
  if (!std::holds_alternative<agent::Beat>(message)) lose(machine, WardenConnection::kNonsense);
}

void ForeignJob::lose(HostId machine, const std::string& what) {
  Other& other = others_[machine];
  other.is_gone = true;
  if (other.connection) other.connection->close();
  Ending& ending = supervision_.ending();
  std::string line = "aqueduct: host " + plan_.names[machine] + " is lost: its warden " + what;
  if (!ending.goes_on_after_deaths()) line += "; the job ends with code 1";
  ending.host_was_lost(plan_.machines.ranks_of(machine), line, 1, machine_clock().now_ns());
}

void ForeignJob::keep_time(std::uint64_t now_ns) {
  for (HostId machine = 0; machine < others_.size(); ++machine) {
    Other& other = others_[machine];
    if (other.is_gone) continue;
    if (!other.connection) {
      if (now_ns < start_end_ns_) continue;
      supervision_.ending().go_on_after_deaths(false);  // a job that was never complete does not go on
      lose(machine, "has not come within the time that starting may take (AQUEDUCT_START_TIMEOUT)" +
                        visitors_.describe_wrong_keys());
      continue;
    }
    if (const std::string wrong = other.connection->keep_time(); !wrong.empty()) lose(machine, wrong);
  }
  stop_listening();
  look_who_is_missing(now_ns);
}

/// Once the job is ending, it does not wait for ranks that have not come.
void ForeignJob::look_who_is_missing(std::uint64_t now_ns) {
  if (here_.are_all_here()) return;
  Ending& ending = supervision_.ending();
  if (ending.is_running() && now_ns < start_end_ns_) return;
  const std::vector<RankId> missing = here_.missing();
  ending.go_on_after_deaths(false);
  ending.host_was_lost(missing, describe_missing(missing.front()), 1, now_ns);
}

void ForeignJob::tell_others(const agent::RankMessage& message) {
  for (const Other& other : others_) {
    if (other.is_here()) other.connection->send(message);
  }
}

void supervise_foreign_job(WardenPlan plan, net::Descriptor memory, net::Descriptor enrolment) {
  Ending ending(plan.machines.size(), host_names(plan), plan.names[0]);
  ending.go_on_after_deaths(plan.reports_failures);
  Supervision supervision(std::move(ending), {.explains_early = true});
  ForeignJob ranks(std::move(plan), std::move(memory), std::move(enrolment), supervision);
  supervision.run(ranks);
}

}  // namespace aqueduct::job::warden
