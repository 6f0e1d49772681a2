// Where the ranks of a job are, for the one loop that supervises them (job/supervision/supervision.hpp).
// There are three sources:
//
//   job/supervision/local_ranks.hpp  ranks of this host, which this process has started
//   job/hosts/hub.hpp                ranks of several hosts, which agents have started
//   job/warden/foreign_job.hpp       ranks that another launcher has started, on this host and on others
//
// All tell the same events to their watcher: the loop, or in an agent what passes them on.
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

/// Is told what happens to ranks, in the order in which it happens; a rank's announcements precede its end.
class RankWatcher {
 public:
  virtual void take(const RankEvent& event) = 0;
  /// Whole lines, or the end of what a rank has written, or a piece of a very long line.
  virtual void take_output(RankId rank, Channel channel, std::string_view text) = 0;
  /// What inspect() has found on one host.
  virtual void take_states(std::vector<observe::RankState> states) = 0;

 protected:
  ~RankWatcher() = default;
};

/// A source watches what it needs in the set of events of whoever owns it.
class RankSource {
 public:
  virtual ~RankSource() = default;

  /// SIGCHLD has come.
  virtual void child_has_ended() = 0;
  /// Sends it to all ranks that live.
  virtual void signal(int number) = 0;
  /// Asks all ranks that live to end; the job ends with `code`.
  virtual void terminate(int code) {
    (void)code;
    signal(SIGTERM);
    signal(SIGCONT);  // a stopped rank could not follow
  }
  /// Whether what a terminal sends to this process reaches the ranks without our help.
  virtual bool hears_terminal() const = 0;
  /// This process is about to be stopped, ranks and all: what watches it must not take that for its death. Or
  /// it goes on.
  virtual void pause(bool is_paused) { (void)is_paused; }
  /// Leaves this channel of all ranks unread, so that they wait, or reads it again.
  virtual void hold(Channel channel, bool is_held) = 0;
  /// Looks which ranks wait, and tells the watcher where that has changed.
  virtual void look_who_waits() = 0;

  /// Looks at all ranks, and tells the watcher what was seen, once for each host that answers, now or later.
  virtual void inspect(const InspectOptions& look) = 0;
  /// How many hosts will answer.
  virtual std::size_t hosts_to_answer() const { return 1; }

  /// Tells the ranks that `rank` has died (job/place/failures.hpp).
  virtual void tell_failed(RankId rank) = 0;

  /// After the last rank has ended: ends what ranks have left behind and hands on the rest of their output.
  virtual void finish() = 0;
  virtual bool is_finished() const = 0;

  /// Does what has to be done at a time.
  virtual void keep_time(std::uint64_t now_ns) { (void)now_ns; }
  /// When that is next; ~0: never.
  virtual std::uint64_t next_time_ns() const { return ~std::uint64_t{0}; }
};

}  // namespace aqueduct::job
