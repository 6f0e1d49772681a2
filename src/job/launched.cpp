#include "job/launched.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "base/variables.hpp"
#include "job/launchers/card.hpp"
#include "job/launchers/meeting_place.hpp"
#include "job/launchers/open.hpp"
#include "job/launchers/plain.hpp"
#include "job/place/leave.hpp"
#include "job/place/start_settings.hpp"
#include "job/warden/enrolment.hpp"
#include "job/warden/order.hpp"
#include "job/warden/warden.hpp"

namespace aqueduct::job {
namespace {

using launchers::LauncherExchange;
using launchers::RankCard;

/// For the failure sink; null except while ranks talk through their launcher.
LauncherExchange* open_exchange_of_process = nullptr;

/// The launcher must end the others, which may wait for this rank in its calls: no warden watches yet.
void say_and_abort(const char* line) {
  const std::string text = std::string(line) + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  if (LauncherExchange* const exchange = std::exchange(open_exchange_of_process, nullptr))
    exchange->abort(1, line);
  ::_exit(1);
}

std::vector<RankCard> exchange_cards(LauncherExchange& exchange) {
  std::vector<RankCard> cards;
  cards.reserve(exchange.size());
  std::string mine = RankCard::mine(exchange.rank() == 0).text();
  std::vector<std::string> texts = exchange.all_gather(mine);
  wipe(std::span(mine));
  for (std::string& text : texts) {
    const std::optional<RankCard> card = RankCard::parse(text);
    wipe(std::span(text));
    if (!card || static_cast<bool>(card->salt) != cards.empty())
      fatal("start", "rank %zu has another version of the library; install the same everywhere",
            cards.size());
    cards.push_back(*card);
  }
  return cards;
}

/// AQUEDUCT_RANKS must not contradict the launcher.
void compare_ranks(RankId size) {
  const std::optional<RankId> wanted = ranks_from_environment();
  if (wanted && *wanted != 1 && *wanted != size)
    fatal("start",
          "AQUEDUCT_RANKS is %u and the launcher has started %u processes; unset it, or set "
          "AQUEDUCT_LAUNCHER=none "
          "for a job of %u ranks in each",
          *wanted, size, *wanted);
}

void compare_settings(const std::vector<RankCard>& cards, RankId rank) {
  if (cards[rank].settings != cards[0].settings)
    fatal(
        "start",
        "rank %u has other settings of AQUEDUCT_LAYOUT, GASNET_SUPERNODE_MAXSIZE or AQUEDUCT_ON_FAILURE than "
        "rank 0; set the same for all ranks",
        rank);
}

/// AQUEDUCT_LAYOUT may divide machines; it cannot unite them.
void apply_machines(Membership& membership, const Layout& machines) {
  membership.machine_ranks = machines.local_size(machines.host_of(membership.rank));
  membership.hosts_are_machines = machines.hosts() > 1;
  if (!membership.hosts_are_given) {
    membership.hosts = machines;
    return;
  }
  for (RankId rank = 1; rank < membership.size; ++rank) {
    const RankId before = membership.hosts.rank_at(membership.hosts.host_of(rank), 0);
    if (machines.host_of(rank) != machines.host_of(before))
      fatal("start", "AQUEDUCT_LAYOUT has ranks %u and %u on one host, and they are on two machines", before,
            rank);
  }
}

/// How many hosts there will be; ignores errors, which are reported once a warden listens.
HostId count_hosts(const Layout& machines, bool has_layout) {
  if (!has_layout) return machines.hosts();
  std::string why;
  const char* const text = std::getenv("AQUEDUCT_LAYOUT");
  const std::optional<Layout> layout = Layout::parse(text ? text : "", machines.size(), &why);
  return layout ? std::max(layout->hosts(), machines.hosts()) : machines.hosts();
}

/// Ignores errors as count_hosts() does.
bool wants_failures_reported() {
  const char* const text = std::getenv("AQUEDUCT_ON_FAILURE");
  return text && std::strcmp(text, "report") == 0;
}

/// How long a host may be silent.
std::uint32_t heartbeat_ms() {
  constexpr std::int64_t kDefaultSeconds = 5, kMostSeconds = 86'400;
  const auto seconds = env::integer({"AQUEDUCT_HEARTBEAT"}, 0, kMostSeconds).value_or(kDefaultSeconds);
  return static_cast<std::uint32_t>(seconds * 1000);
}

Membership meet(LauncherExchange& exchange) {
  Membership membership;
  membership.rank = exchange.rank();
  membership.size = exchange.size();
  set_reporting_rank(static_cast<int>(membership.rank));
  if (membership.rank == 0) env::warn_of_unknown_variables();
  const int timeout_ms = launchers::start_timeout_ms();
  const std::vector<RankCard> cards = exchange_cards(exchange);
  const Layout machines = launchers::hosts_by(cards);
  const RankPlace here = machines.place(membership.rank);
  membership.key = exchange.key().derive(cards[0].salt.bytes());

  warden::WardenPlan plan;
  plan.name = cards[machines.rank_at(here.host, 0)].meeting;
  plan.machines = machines;
  plan.machine = here.host;
  for (HostId machine = 0; machine < machines.hosts(); ++machine)
    plan.names.push_back(cards[machines.rank_at(machine, 0)].host_name);
  plan.timeout_ms = timeout_ms;
  plan.patience_ms = heartbeat_ms();
  plan.reports_failures = wants_failures_reported();
  plan.key = membership.key;
  const std::uint64_t name = plan.name;
  if (const bool has_layout = cards[0].has_layout; has_layout || machines.hosts() > 1) {
    launchers::MeetingPlace meeting(membership.key, count_hosts(machines, has_layout), machines.hosts() == 1);
    const launchers::MeetingPlace::Agreed agreed = meeting.agree(exchange);
    membership.rendezvous = agreed.rendezvous;
    plan.first = agreed.first_warden;
    plan.rendezvous = meeting.take_rendezvous();
    plan.listener = meeting.take_listener();
  }
  open_exchange_of_process = nullptr;
  exchange.finish();

  if (here.local == 0) warden::start(std::move(plan));
  const warden::Enrolled enrolled = warden::enrol(name, membership.rank, timeout_ms);
  membership.control_fd = enrolled.control_fd;
  membership.memory_fd = enrolled.memory_fd;
  membership.cores = enrolled.cores;
  membership.yields_reach_others = enrolled.yields_reach_others;
  warden::obey_orders();
  remember_supervisor(membership.control_fd);
  compare_settings(cards, membership.rank);
  membership.reports_failures = reports_failures_from_environment();
  read_layout(membership);
  apply_machines(membership, machines);
  return membership;
}

}  // namespace

std::optional<Membership> launched_place() {
  const launchers::Detected detected = launchers::detect();
  const std::unique_ptr<LauncherExchange> exchange = launchers::open_exchange(detected);
  if (!exchange) return std::nullopt;
  open_exchange_of_process = exchange.get();
  set_failure_sink(say_and_abort);
  if (exchange->size() == 1) {
    exchange->finish();
    open_exchange_of_process = nullptr;
    set_failure_sink(nullptr);
    return std::nullopt;
  }
  compare_ranks(exchange->size());
  return meet(*exchange);
}

}  // namespace aqueduct::job
