// Where the ranks of a job are: on this host (job/supervision/local_ranks.hpp) or on others, behind their
// agents (job/hosts/hub.hpp). Both tell the same events, to the supervisor, or in an agent to what passes
// them on.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "job/inspection/inspection.hpp"
#include "job/messages/rank_event.hpp"
#include "net/event_set.hpp"
#include "observe/state.hpp"

namespace aqueduct::job {

/// Who is told what happens to ranks: in the order in which it does, and of one rank its announcements
/// before its end.
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

class RankSource {
 public:
  virtual ~RankSource() = default;

  /// Something that may be this source's is ready.
  virtual void serve(const net::Event& event) = 0;
  /// SIGCHLD has come.
  virtual void child_has_ended() = 0;
  /// To all ranks that live.
  virtual void signal(int number) = 0;
  /// Whether what a terminal sends to this process reaches the ranks without our help.
  virtual bool hears_terminal() const = 0;
  /// This process is about to be stopped, ranks and all: what watches it must not take that for its death. Or
  /// it goes on.
  virtual void pause(bool is_paused) { (void)is_paused; }
  /// Leaves this channel of all ranks unread, so that they wait, or reads it again.
  virtual void hold(Channel channel, bool is_held) = 0;
  /// Looks which ranks wait; the watcher is told where that has changed.
  virtual void look_who_waits() = 0;

  /// Looks at all ranks; the watcher is told what was seen, once for each host that answers, now or later.
  virtual void inspect(const InspectOptions& look) = 0;
  /// How many hosts will answer.
  virtual std::size_t hosts_to_answer() const { return 1; }

  /// Tells the ranks that `rank` has died (job/place/failures.hpp).
  virtual void tell_failed(RankId rank) = 0;

  /// After the last rank has ended: ends what ranks have left behind and hands on the rest of their output.
  virtual void finish() = 0;
  virtual bool is_finished() const = 0;

  /// What has to be done at a time.
  virtual void keep_time(std::uint64_t now_ns) { (void)now_ns; }
  /// When that is next; ~0: never.
  virtual std::uint64_t next_time_ns() const { return ~std::uint64_t{0}; }
};

}  // namespace aqueduct::job
