// The launcher's side of a job on several hosts: starts an agent on each, and is the source of their ranks'
// events for the supervisor's loop (job/supervision/rank_source.hpp).
//
//   greeting   remote shells are started, a bounded number at a time, until each agent has said Hello
//   meeting    the first host's agent opens a rendezvous (not where there is one host)
//   reaching   the others try its addresses; the first that all of them reach is used
//   starting   agents start their ranks
//   running    events, output, input, signals
//   finishing  all ranks have ended; agents end what is left and say so
//
// Addresses of the first host: if all agents are on one machine, only the loopback interface. Otherwise the
// one at which the launcher has reached it, then the launcher's address as others see it (if the first host
// is the launcher's), then all others of that host. AQUEDUCT_INTERFACE leaves only those of one interface.
//
// Failure    An error before all ranks run ends the job with one line. Afterwards a host is lost if its
//            agent's connection closes, if the agent sends nonsense, or if it is silent for longer than the
//            heartbeat allows (job/supervision/ending.hpp).
//
// Stop       A launcher that its user stops (Ctrl-Z) tells the agents, which stop their ranks. While it is
//            stopped, a child of it goes on with the heartbeat, so that agents notice if this host vanishes
//            then; the child dies with the launcher. If SIGSTOP stops the launcher, it falls silent, and its
//            agents end.
//
// The hub reads standard input once ranks run, as far ahead as kInputWindow allows, but not while another
// program is in the terminal's foreground.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "hosts/agent_process.hpp"
#include "hosts/host_list.hpp"
#include "job/messages/heartbeat.hpp"
#include "job/supervision/ending.hpp"
#include "job/supervision/rank_source.hpp"
#include "job/supervision/supervision.hpp"
#include "job/supervision/supervisor.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job {

struct HostsLaunch {
  Launch launch;
  Placement placement;
  AgentSource agents;
  std::string directory;                 ///< the working directory of ranks
  std::string interface;                 ///< by name or address; empty: any
  std::vector<std::string> environment;  ///< NAME=VALUE, for the ranks
  std::uint32_t patience_ms = 5000;      ///< how long a host may be silent; 0: for ever
};

class Hub final : public RankSource {
 public:
  Hub(const HostsLaunch& job, Supervision& supervision, const SupervisorSignals& signals,
      const DescriptorLimit& limit);

  void child_has_ended() override;
  void signal(int number) override;
  bool hears_terminal() const override { return false; }
  void pause(bool is_paused) override;
  void hold(Channel channel, bool is_held) override;
  void look_who_waits() override;
  void inspect(const InspectOptions& look) override;
  std::size_t hosts_to_answer() const override;
  void tell_failed(RankId rank) override;
  void finish() override;
  bool is_finished() const override;
  void keep_time(std::uint64_t now_ns) override;
  std::uint64_t next_time_ns() const override;

 private:
  enum class Phase : std::uint8_t { kGreeting, kMeeting, kReaching, kStarting, kRunning, kFinishing };

  struct Host {
    Host(const AgentSource& source, const Placement::Host& where)
        : place(&where), process(source, where.name, where.is_here) {}

    const Placement::Host* place;
    AgentProcess process;
    std::optional<agent::Hello> hello;
    std::optional<Heartbeat> heartbeat;
    std::uint64_t started_ns = 0;
    std::vector<std::optional<std::string>>
        reached;  ///< by address: the reason of a failure; empty text: reached
    bool has_started = false;
    bool is_gone = false;  ///< the host has finished or is lost

    const std::string& name() const { return place->name; }
    agent::Link& link() { return process.link(); }
  };

  static constexpr std::uint64_t kSecondNs = 1'000'000'000;
  static std::uint64_t clock_ns() { return machine_clock().now_ns(); }

  void start_shells();
  void serve_link(Host& host);
  void serve_input();
  void watch_input();
  void judge_start(std::uint64_t now_ns);

  void hear(Host& host, const agent::Hello& hello);
  void hear(Host& host, const agent::Meeting& meeting);
  void hear(Host& host, const agent::Reached& reached);
  void hear(Host& host, const agent::Started&);
  void hear(Host& host, const agent::Failed& failed);
  void hear(Host& host, const agent::Happened& happened);
  void hear(Host& host, const agent::Written& written);
  void hear(Host& host, const agent::Taken& taken);
  void hear(Host& host, const agent::Signalled& signalled);
  void hear(Host&, const agent::Beat&) {}
  void hear(Host& host, const agent::Inspected& inspected);
  void hear(Host& host, const agent::Finished&);
  /// Messages that only launchers send.
  void hear(Host& host, const auto&) { lose(host, "says what only launchers say"); }

  void all_have_greeted();
  void choose_address();
  void start_ranks(const std::string& rendezvous);
  std::vector<std::string> candidates() const;
  bool owns(const Host& host, RankId rank) const;

  /// The job cannot start.
  void fail(const std::string& line, int code);
  /// The host is lost; `what` is what it has done.
  void lose(Host& host, const std::string& what);
  void lose_closed(Host& host);
  void keep_beating();

  const HostsLaunch& job_;
  Supervision& supervision_;
  const SupervisorSignals& signals_;
  const DescriptorLimit& limit_;
  std::vector<Host> hosts_;
  Phase phase_ = Phase::kGreeting;
  std::size_t next_shell_ = 0;  ///< the next host to start
  std::size_t greeting_ = 0;    ///< shells whose agents have not sent Hello
  std::size_t greeted_ = 0;
  std::size_t started_ = 0;
  net::JobKey key_ = net::JobKey::random();
  std::vector<std::string> addresses_;
  std::uint64_t phase_began_ns_ = 0;
  bool has_failed_ = false;
  std::uint64_t end_by_ns_ = ~std::uint64_t{0};  ///< the end of the wait for shells

  pid_t beating_child_ = -1;  ///< while this process is stopped

  std::size_t input_ahead_ = 0;  ///< bytes of standard input that rank 0 has not taken yet
  bool is_input_watched_ = false;
  bool is_input_a_file_ = false;  ///< epoll cannot watch it, and it is always ready
  bool is_input_over_ = false;
  std::uint64_t next_input_ns_ = ~std::uint64_t{0};
};

/// Runs the job to its end, as supervise() does on one host.
int supervise_hosts(const HostsLaunch& job);

}  // namespace aqueduct::job
