// A source of ranks for the loop that supervises a job (job/supervision/supervision.hpp). There are three:
//
//   local_ranks.hpp               ranks of this host, which this process has started
//   job/warden/foreign_job.hpp    ranks that another launcher has started, on this host and on others
//   tools/aqueduct/hosts/hub.hpp  ranks of several hosts, which agents have started
//
// All report the same events to their watcher: the loop, or an agent, which passes them on.
#pragma once
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "job/inspection/inspection.hpp"
#include "job/messages/rank_event.hpp"
#include "observe/state.hpp"

namespace aqueduct::job {

/// Receives the events of ranks in their order; a rank's announcements precede its end.
class RankWatcher {
 public:
  virtual void take(const RankEvent& event) = 0;
  /// `text` is whole lines, the unfinished last line of a rank, or a piece of a very long line.
  virtual void take_output(RankId rank, Channel channel, std::string_view text) = 0;
  /// The result of inspect() on one host.
  virtual void take_states(std::vector<observe::RankState> states) = 0;

 protected:
  ~RankWatcher() = default;
};

/// A source watches its descriptors in its owner's set of events.
class RankSource {
 public:
  virtual ~RankSource() = default;

  /// SIGCHLD has come.
  virtual void child_has_ended() = 0;
  /// Sends the signal to all ranks that live.
  virtual void signal(int number) = 0;
  /// Asks all ranks that live to end; the job ends with `code`.
  virtual void terminate(int code) {
    (void)code;
    signal(SIGTERM);
    signal(SIGCONT);  // a stopped rank could not follow
  }
  /// Whether signals of a terminal to this process also reach the ranks.
  virtual bool hears_terminal() const = 0;
  /// This process will be stopped together with the ranks, or goes on: agents must not take its silence for
  /// its death.
  virtual void pause(bool is_paused) { (void)is_paused; }
  /// Stops reading this channel of all ranks, so that they wait, or reads it again.
  virtual void hold(Channel channel, bool is_held) = 0;
  /// Looks which ranks wait, and tells the watcher about changes.
  virtual void look_who_waits() = 0;

  /// Looks at all ranks, and passes the result to the watcher, once for each host that answers, now or later.
  virtual void inspect(const InspectOptions& look) = 0;
  /// How many hosts will answer.
  virtual std::size_t hosts_to_answer() const { return 1; }

  /// Tells the ranks that `rank` has died (job/place/failures.hpp).
  virtual void tell_failed(RankId rank) = 0;

  /// After the last rank has ended: ends processes that ranks have left behind and passes on the rest of the
  /// output.
  virtual void finish() = 0;
  virtual bool is_finished() const = 0;

  /// Does what is due at `now_ns`.
  virtual void keep_time(std::uint64_t now_ns) { (void)now_ns; }
  /// When keep_time() is due next; ~0: never.
  virtual std::uint64_t next_time_ns() const { return ~std::uint64_t{0}; }
};

}  // namespace aqueduct::job
