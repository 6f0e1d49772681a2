#include "job/warden/first_warden.hpp"

#include <algorithm>
#include <csignal>

namespace aqueduct::job::warden {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
/// Between two looks at who waits, as a supervisor has it.
constexpr std::uint64_t kLookNs = 250'000'000;
/// The index of events of those that have not shown who they are.
constexpr std::uint32_t kNewcomers = UINT32_MAX;

Ending::HostName host_names(const Plan& plan) {
  if (plan.machines.hosts() == 1) return {};
  return
      [machines = plan.machines, names = plan.names](RankId rank) { return names[machines.host_of(rank)]; };
}

}  // namespace

FirstWarden::FirstWarden(Plan plan, net::Descriptor memory, net::Descriptor enrolment)
    : HostWarden(std::move(plan), std::move(memory), std::move(enrolment)),
      ending_(plan_.machines.size(), host_names(plan_), plan_.names[0]),
      rendezvous_(std::move(plan_.rendezvous), events_),
      visitors_(plan_.key, Greeting::Purpose::kReport, plan_.machines.hosts()),
      others_(plan_.machines.hosts()),
      hang_reporter_(
          plan_.machines.size(), events_, [this](const InspectOptions& look) { return ask_hosts(look); },
          [](const std::string& text) { say(text.substr(0, text.size() - 1)); }) {
  describe_to_others(plan_.machines.hosts() > 1 ? hang_reporter_.open() : "", "");
  others_[0].is_gone = true;  // that is us
  ending_.go_on_after_deaths(plan_.reports_failures);
  if (plan_.listener) events_.watch(plan_.listener.get(), net::EventKind::kLinkIn, kNewcomers, EPOLLIN);
}

void FirstWarden::run() {
  while (!ending_.is_over()) {
    for (const net::Event& event : events_.wait_until(next_time_ns())) {
      ranks_.serve(event);
      if (event.kind == net::EventKind::kRendezvous) rendezvous_.serve();
      const bool is_link = event.kind == net::EventKind::kLinkIn || event.kind == net::EventKind::kLinkOut;
      if (is_link && event.index == kNewcomers) serve_newcomers();
      if (is_link && event.index < others_.size()) serve_other(event.index);
      hang_reporter_.serve(event, now_ns());
    }
    keep_time();
    stop_listening();
    hang_reporter_.keep_time(now_ns());
    look_who_is_missing();
    tell_of_deaths();
    look_who_waits();
    take_step();
  }
  say_why();
}

void FirstWarden::take(const RankEvent& event) {
  ending_.rank_event(event, now_ns());
  if (event.kind == RankEvent::Kind::kHangs) hang_reporter_.rank_asks(now_ns());
  // Those of a report that is under way will do.
  if (ending_.take_silent_peer() && !hang_reporter_.is_asking()) ask_hosts({});
}

void FirstWarden::take_states(std::vector<observe::RankState> states) {
  for (const observe::RankState& state : states) ending_.rank_was_seen(state.rank, state.process, now_ns());
  hang_reporter_.take_states(std::move(states));
}

std::size_t FirstWarden::ask_hosts(const InspectOptions& look) {
  std::size_t hosts = 1;
  for (const Other& other : others_) hosts += other.connection && !other.is_gone ? 1 : 0;
  tell_others(agent::Inspect{look.with_stacks, look.with_counters});
  ranks_.inspect(look);
  return hosts;
}

std::uint64_t FirstWarden::next_time_ns() const {
  std::uint64_t next = std::min(
      {ending_.next_step_ns(), ending_.is_watching() ? next_look_ns_ : kNever, hang_reporter_.next_ns()});
  bool is_complete = ranks_.are_all_here();
  for (const Other& other : others_) {
    if (other.is_gone) continue;
    is_complete = is_complete && other.connection;
    if (other.connection) next = std::min(next, other.connection->next_ns());
  }
  return is_complete ? next : std::min(next, start_end_ns_);
}

void FirstWarden::serve_newcomers() {
  if (!plan_.listener) return;
  visitors_.serve(plan_.listener.get(), [this](const Greeting& greeting, net::Descriptor& connection) {
    return admit(greeting, connection);
  });
  // Those that are watched already are refused, and closing one has ended its watch.
  std::vector<pollfd> polled;
  visitors_.add_to_poll(polled);
  for (const pollfd& each : polled) events_.watch(each.fd, net::EventKind::kLinkIn, kNewcomers, EPOLLIN);
}

/// Once all other wardens have come, or are not waited for, nobody else is expected.
void FirstWarden::stop_listening() {
  const bool is_complete = std::all_of(others_.begin(), others_.end(),
                                       [](const Other& other) { return other.connection || other.is_gone; });
  if (!plan_.listener || !is_complete) return;
  visitors_.clear();
  plan_.listener.close();
}

Answer FirstWarden::admit(const Greeting& greeting, net::Descriptor& connection) {
  Answer answer;
  answer.number = greeting.number;
  Other& other = others_[greeting.number];
  if (other.connection || other.is_gone) {
    answer.verdict = Verdict::kTaken;
    return answer;
  }
  events_.unwatch(connection.get());
  other.connection =
      std::make_unique<Connection>(std::move(connection), plan_.patience_ms, events_, greeting.number);
  return answer;
}

void FirstWarden::serve_other(HostId machine) {
  Other& other = others_[machine];
  if (!other.connection || other.is_gone) return;
  const std::string wrong =
      other.connection->serve([&](const agent::Message& message) { hear(machine, message); });
  if (!wrong.empty()) lose(machine, wrong);
}

void FirstWarden::hear(HostId machine, const agent::Message& message) {
  if (const auto* happened = std::get_if<agent::Happened>(&message)) {
    const bool is_theirs =
        happened->rank < plan_.machines.size() && plan_.machines.host_of(happened->rank) == machine;
    const bool is_known = happened->kind >= static_cast<std::uint8_t>(RankEvent::Kind::kStarted) &&
                          happened->kind <= static_cast<std::uint8_t>(RankEvent::Kind::kHangs);
    if (!is_theirs || !is_known) return lose(machine, "tells of ranks that it has not");
    return take(
        {static_cast<RankEvent::Kind>(happened->kind), happened->rank, happened->number, happened->text});
  }
  if (const auto* inspected = std::get_if<agent::Inspected>(&message)) {
    std::optional<std::vector<observe::RankState>> states = observe::decode(inspected->states);
    const auto is_theirs = [&](const observe::RankState& state) {
      return state.rank < plan_.machines.size() && plan_.machines.host_of(state.rank) == machine;
    };
    if (!states || !std::all_of(states->begin(), states->end(), is_theirs))
      return lose(machine, "tells of ranks that it has not");
    return take_states(std::move(*states));
  }
  if (std::holds_alternative<agent::Finished>(message)) {
    others_[machine].is_gone = true;
    return others_[machine].connection->close();
  }
  if (!std::holds_alternative<agent::Beat>(message)) lose(machine, Connection::kNonsense);
}

void FirstWarden::lose(HostId machine, const std::string& what) {
  Other& other = others_[machine];
  other.is_gone = true;
  if (other.connection) other.connection->close();
  std::string line = "aqueduct: host " + plan_.names[machine] + " is lost: its warden " + what;
  if (!ending_.goes_on_after_deaths()) line += "; the job ends with code 1";
  ending_.host_was_lost(plan_.machines.ranks_of(machine), line, 1, now_ns());
}

void FirstWarden::keep_time() {
  const std::uint64_t now = now_ns();
  for (HostId machine = 0; machine < others_.size(); ++machine) {
    Other& other = others_[machine];
    if (other.is_gone) continue;
    if (!other.connection) {
      if (now < start_end_ns_) continue;
      ending_.go_on_after_deaths(false);  // the job has never been whole
      lose(machine, "has not come within the time that starting may take (AQUEDUCT_START_TIMEOUT)" +
                        visitors_.describe_wrong_keys());
      continue;
    }
    if (const std::string wrong = other.connection->keep_time(); !wrong.empty()) lose(machine, wrong);
  }
}

/// What all ranks are told of those that the others go on without.
void FirstWarden::tell_of_deaths() {
  for (const Ending::Death& death : ending_.take_deaths()) {
    if (!death.line.empty()) say(death.line);
    ranks_.tell_failed(death.rank);
    tell_others(agent::Died{death.rank});
  }
}

void FirstWarden::look_who_waits() {
  const std::uint64_t now = now_ns();
  if (!ending_.is_watching() || now < next_look_ns_) return;
  next_look_ns_ = now + kLookNs;
  ranks_.look_who_waits();
  tell_others(agent::Look{});
}

/// Once the job is ending, ranks that have not come are not waited for.
void FirstWarden::look_who_is_missing() {
  if (ranks_.are_all_here()) return;
  const std::vector<RankId> missing = ranks_.missing();
  if (ending_.is_running() && now_ns() < start_end_ns_) return;
  ending_.go_on_after_deaths(false);
  ending_.host_was_lost(missing, describe_missing(missing.front()), 1, now_ns());
}

void FirstWarden::take_step() {
  switch (ending_.step(now_ns())) {
    case Ending::Step::kNone:
      return;
    case Ending::Step::kTerminate:
      say_why();
      tell_others(agent::Leave{ending_.exit_code()});
      ranks_.order_to_leave(ending_.exit_code());
      return ranks_.signal(SIGCONT);  // a stopped rank could not follow
    case Ending::Step::kKill:
      tell_others(agent::Signal{SIGKILL});
      return ranks_.signal(SIGKILL);
  }
}

void FirstWarden::tell_others(const agent::Message& message) {
  for (const Other& other : others_) {
    if (other.connection && !other.is_gone) other.connection->send(message);
  }
}

void FirstWarden::say_why() {
  if (has_said_why_ || ending_.line().empty()) return;
  has_said_why_ = true;
  say(ending_.line());
}

}  // namespace aqueduct::job::warden
