#include "hosts/agent.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "hosts/agent_messages.hpp"
#include "hosts/forwarding.hpp"
#include "hosts/rank_input.hpp"
#include "hosts/reach.hpp"
#include "job/inspection/job_table.hpp"
#include "job/messages/heartbeat.hpp"
#include "job/place/binding.hpp"
#include "job/place/start_settings.hpp"
#include "job/place/variables.hpp"
#include "job/supervision/guard.hpp"
#include "job/supervision/local_ranks.hpp"
#include "job/supervision/same_addresses.hpp"
#include "net/network_interface.hpp"

namespace aqueduct::job {
namespace {

constexpr std::uint64_t kTickNs = 5'000'000;
constexpr std::size_t kMostUnsent = std::size_t{1} << 20;

/// An address in numbers, without its port.
std::string without_port(const net::Address& address) {
  const std::string text = address.text();
  return text.substr(0, text.rfind(':'));
}

/// The same for agents that reach each other over the loopback interface.
std::string name_of_machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat network = {};
  stat("/proc/self/ns/net", &network);
  return boot + "/" + std::to_string(network.st_ino);
}

agent::Hello introduce(const std::string& version) {
  agent::Hello hello;
  hello.version = version;
  hello.machine = name_of_machine();
  for (const net::NetworkInterface& interface : net::network_interfaces()) {
    if (interface.is_up && !interface.address.is_loopback())
      hello.interfaces.push_back(interface.name + " " + without_port(interface.address));
  }
  // sshd sets it: the client's address and port, then the server's.
  if (const char* const connection = std::getenv("SSH_CONNECTION")) {
    const auto words = [text = std::string_view(connection)](int number) {
      std::size_t begin = 0;
      for (int i = 0; i < number && begin != text.npos; ++i) begin = text.find(' ', begin + 1);
      if (begin == text.npos) return std::string();
      if (begin != 0) ++begin;
      return std::string(text.substr(begin, text.find(' ', begin) - begin));
    };
    hello.seen_from = words(0);
    hello.reached_at = words(2);
  }
  return hello;
}

class Agent final : public RankWatcher {
 public:
  Agent(const AgentSettings& settings, agent::Link& link, SupervisorSignals& signals, int lifeline_fd);

  int run();

  void take(const RankEvent& event) override { link_.send(agent::happened(event)); }
  void take_states(std::vector<observe::RankState> states) override {
    link_.send(agent::Inspected{observe::encode(states)});
  }
  void take_output(RankId rank, Channel channel, std::string_view text) override {
    link_.send(agent::Written{rank, static_cast<std::uint8_t>(channel), std::string(text)});
  }

 private:
  void wait_for_events();
  void serve_signals();
  void serve_launcher();
  void keep_time();
  void hold_or_release();

  void obey(const agent::Meet& meet);
  void obey(const agent::Reach& reach);
  void obey(const agent::Start& start);
  void obey(const agent::Input& input);
  void obey(const agent::Signal& signal);
  void obey(const agent::Hold& hold) {
    if (hold.channel < kChannels) is_held_[hold.channel] = hold.is_held;
  }
  void obey(const agent::Look&) {
    if (ranks_) ranks_->look_who_waits();
  }
  void obey(const agent::Inspect& inspect) {
    if (ranks_) ranks_->inspect({inspect.with_stacks, inspect.with_counters});
  }
  void obey(const agent::Died& died) {
    if (ranks_ && died.rank < size_) ranks_->tell_failed(died.rank);
  }
  void obey(const agent::Beat& beat);
  void obey(const agent::Pause& pause);
  void obey(const agent::Finish&);
  void obey(const agent::Ask& ask);
  /// Messages that only agents send.
  void obey(const auto&) { link_.close(); }

  void fail(std::string why, int code);
  void write_input();
  /// Ends everything here at once.
  void abandon();

  const AgentSettings& settings_;
  agent::Link& link_;
  SupervisorSignals& signals_;
  net::EventSet events_;
  const DescriptorLimit limit_;
  Adoption adoption_;
  std::optional<RendezvousService> rendezvous_;
  std::optional<ReachProbes> probes_;
  RankInput input_;
  std::unique_ptr<LocalRanks> ranks_;
  RankId size_ = 0;  ///< of the job, once there are ranks
  Heartbeat heartbeat_;
  bool is_greeted_ = false;                        ///< the launcher has sent the time that silence may last
  std::uint64_t end_by_ns_ = Heartbeat::kForever;  ///< somebody has asked the agent to end
  bool is_held_[kChannels] = {};                   ///< by the launcher
  bool is_channel_held_[kChannels] = {};
  bool is_over_ = false;
};

Agent::Agent(const AgentSettings& settings, agent::Link& link, SupervisorSignals& signals, int lifeline_fd)
    : settings_(settings),
      link_(link),
      signals_(signals),
      input_(events_, [this] { write_input(); }),
      heartbeat_(settings.first_word_ms, machine_clock().now_ns()) {
  events_.watch(signals_.fd(), EPOLLIN, {});  // served before all others
  events_.watch(lifeline_fd, EPOLLIN, [this](std::uint32_t) { abandon(); });
  link_.watch(events_, [this] { serve_launcher(); });
  link_.send_raw(agent::kPreamble);
  link_.send(introduce(settings.version));
}

int Agent::run() {
  while (!is_over_) {
    wait_for_events();
    keep_time();
    hold_or_release();
  }
  return 0;
}

void Agent::wait_for_events() {
  std::uint64_t next = std::min(heartbeat_.next_ns(), end_by_ns_);
  if (probes_) next = std::min(next, machine_clock().now_ns() + kTickNs);
  events_.wait_until(next);
  serve_signals();
  while (!is_over_ && events_.serve_next()) {
  }
}

void Agent::serve_signals() {
  while (const std::optional<SupervisorSignals::Received> received = signals_.next()) {
    if (received->signal == SIGCHLD) {
      if (ranks_) ranks_->child_has_ended();
    } else if (asks_to_end(received->signal)) {
      link_.send(agent::Signalled{received->signal});
      if (!ranks_ || end_by_ns_ != Heartbeat::kForever) return abandon();
      end_by_ns_ = machine_clock().now_ns() + std::uint64_t{kSignalGraceMs} * 1'000'000;
    } else if (ranks_ && !received->reached_ranks) {
      ranks_->signal(received->signal);
    }
  }
}

void Agent::serve_launcher() {
  if (link_.receive()) heartbeat_.heard(machine_clock().now_ns());
  while (!is_over_) {
    const std::optional<agent::Message> message = link_.next();
    if (!message) break;
    std::visit([this](const auto& each) { obey(each); }, *message);
  }
  if (!is_over_ && (link_.is_closed() || link_.is_garbled())) abandon();
}

void Agent::keep_time() {
  const std::uint64_t now = machine_clock().now_ns();
  if (probes_) {
    for (const ReachProbes::Result& result : probes_->advance(now))
      link_.send(agent::Reached{result.index, result.why_not});
    if (probes_->are_over()) probes_.reset();
  }
  if (is_over_) return;
  if (heartbeat_.should_beat(now) && is_greeted_) link_.send(agent::Beat{});
  if (heartbeat_.is_silent(now) || now >= end_by_ns_) abandon();
}

/// Stops reading ranks if the launcher reads too slowly, so that the ranks wait.
void Agent::hold_or_release() {
  if (!ranks_ || is_over_) return;
  for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
    const std::size_t limit = is_channel_held_[channel] ? kMostUnsent / 2 : kMostUnsent;
    const bool hold = is_held_[channel] || link_.backlog() > limit;
    if (hold == is_channel_held_[channel]) continue;
    is_channel_held_[channel] = hold;
    ranks_->hold(static_cast<Channel>(channel), hold);
  }
}

void Agent::obey(const agent::Beat& beat) {
  if (!std::exchange(is_greeted_, true)) heartbeat_ = Heartbeat(beat.patience_ms, machine_clock().now_ns());
}

void Agent::obey(const agent::Meet& meet) {
  if (meet.participants == 0 || meet.participants > kMaxRanks) return link_.close();
  Rendezvous rendezvous(meet.key, meet.participants);
  net::Address where = net::Address::loopback();
  if (!meet.on_loopback) {
    where = {};
    where.family = net::Address::Family::kV6;  // which includes IPv4
  }
  bool is_open = rendezvous.open(where);
  if (!is_open && !meet.on_loopback) is_open = rendezvous.open({});
  if (!is_open)
    return fail("no port for the job's hosts to meet at: " + std::string(std::strerror(errno)), 1);
  const std::uint16_t port = rendezvous.port();
  rendezvous_.emplace(std::move(rendezvous), events_);
  link_.send(agent::Meeting{port});
}

void Agent::obey(const agent::Reach& reach) {
  std::vector<net::Address> addresses;
  for (const std::string& text : reach.addresses) {
    const std::optional<net::Address> address = net::Address::parse(text);
    if (!address) return link_.close();
    addresses.push_back(*address);
  }
  probes_.emplace(addresses, reach.key, reach.participants, machine_clock().now_ns());
}

void Agent::obey(const agent::Start& start) {
  std::string why;
  const std::optional<Layout> machines = Layout::parse(start.machines, start.size, &why);
  const bool has_ranks =
      !start.ranks.empty() && !start.command.empty() &&
      std::all_of(start.ranks.begin(), start.ranks.end(), [&](RankId rank) { return rank < start.size; });
  if (ranks_ || !machines || !has_ranks) return link_.close();
  set_environment(start.environment);
  if (chdir(start.directory.c_str()) != 0)
    return fail("the working directory " + start.directory + " is not there: " + std::strerror(errno) +
                    "; run from one that all hosts have",
                1);
  setenv("PWD", start.directory.c_str(), 1);

  Launch launch;
  launch.ranks = start.size;
  launch.command = start.command;
  launch.conduit = start.conduit;
  launch.same_addresses = same_addresses_from_environment();
  const BindingPlan binding =
      plan_binding(start.bind, static_cast<RankId>(start.ranks.size()), usable_cores());
  if (!binding.error.empty()) return fail(binding.error, 2);
  Membership any_rank;
  any_rank.size = start.size;
  read_layout(any_rank);
  const std::vector<PlaceVariable> variables = {
      {place::kLayout, layout_setting(any_rank)},
      {place::kNeighbours, neighbours_setting(any_rank)},
      {place::kMachines, machines->hosts() > 1 ? start.machines : ""},
      {place::kRendezvous, start.rendezvous}};
  HostShare share{{start.ranks.begin(), start.ranks.end()}, -1};
  const bool has_input = start.ranks.front() == 0;
  if (has_input && (share.input_fd = input_.open()) < 0) return fail(std::strerror(errno), 1);
  Spawned spawned = spawn_ranks(launch, share, binding, start.key, variables, signals_, limit_);
  input_.close_reader();
  if (!spawned.error.empty()) {
    adoption_.end_all();
    return fail(spawned.error, spawned.error_code);
  }
  JobFacts facts;
  facts.ranks = start.size;
  facts.hosts = machines->hosts();
  facts.job = getppid();
  facts.supervisor = getpid();
  facts.launcher = start.launcher;
  facts.program = command_line(start.command);
  describe_job(spawned.memory.get(), facts);
  if (spawned.have_different_addresses) {
    char name[256] = "this";
    gethostname(name, sizeof name - 1);
    take_output(start.ranks.front(), Channel::kErrors, warning_of_different_addresses(name));
  }
  // The launcher adds the name of this host.
  ranks_ = std::make_unique<LocalRanks>(std::move(spawned), start.size, "", std::nullopt, start.tag,
                                        adoption_, events_, *this);
  size_ = start.size;
  link_.send(agent::Started{});
}

void Agent::obey(const agent::Ask& ask) {
  std::string why;
  const bool is_possible = ask.ranks >= 1 && ask.ranks <= kMaxRanks;
  const std::optional<Layout> machines =
      is_possible ? Layout::parse(ask.machines, ask.ranks, &why) : std::nullopt;
  if (!machines) return link_.close();
  link_.send(agent::Facts{settings_.describe(*machines)});
}

void Agent::obey(const agent::Input& input) {
  input.text.empty() ? input_.end() : input_.add(input.text);
  write_input();
}

void Agent::write_input() {
  if (const std::size_t taken = input_.write_some(); taken != 0) link_.send(agent::Taken{taken});
}

void Agent::obey(const agent::Signal& signal) {
  if (ranks_ && signal.number > 0 && signal.number < NSIG) ranks_->signal(signal.number);
}

void Agent::obey(const agent::Pause& pause) {
  // SIGTSTP does not stop programs that have no terminal here.
  if (ranks_ && pause.is_paused) ranks_->signal(SIGSTOP);
}

void Agent::obey(const agent::Finish&) {
  if (ranks_) {
    ranks_->signal(SIGKILL);
    ranks_->finish();
  }
  link_.send(agent::Finished{});
  is_over_ = true;
}

void Agent::fail(std::string why, int code) {
  link_.send(agent::Failed{std::move(why), code});
  is_over_ = true;
}

void Agent::abandon() {
  if (ranks_) ranks_->signal(SIGKILL);
  adoption_.end_all();
  link_.close();  // the launcher will not read the rest
  is_over_ = true;
}

/// Turns standard input and output into the connection; other code finds an empty input and the errors as
/// output.
struct Standard {
  net::Descriptor in{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
  net::Descriptor out{fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
  Standard() {
    const net::Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    dup2(nothing.get(), STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
};

/// Sends the last messages as long as the launcher reads.
void drain(agent::Link& link) {
  constexpr int kPatienceMs = 5000;
  net::EventSet events;
  if (!link.is_open()) return;
  const std::uint64_t until = machine_clock().now_ns() + std::uint64_t{kPatienceMs} * 1'000'000;
  link.watch(events, [&] { link.receive(); });
  for (link.flush(); link.backlog() != 0 && machine_clock().now_ns() < until;) {
    events.wait_until(until);
    while (events.serve_next()) {
    }
    if (link.is_closed()) return;
  }
}

}  // namespace

int run_agent(const AgentSettings& settings) {
  Standard standard;
  if (!standard.in || !standard.out) return 1;
  Adoption adoption;
  SupervisorSignals signals;
  if (signals.fd() < 0) return 1;
  return run_guarded(
             [&](int lifeline_fd) {
               agent::Link link(std::move(standard.in), std::move(standard.out));
               const int code = Agent(settings, link, signals, lifeline_fd).run();
               drain(link);
               return Supervised{false, code};
             },
             signals, adoption, false)
      .exit_code;
}

}  // namespace aqueduct::job
