// Decides when a job ends, with which code, and which one line says why.
//
// This class is the policy alone: callers report events and ask what to do next; it starts, signals and reads
// nothing.
//
//   Running ──cause──▶ Grace ──deadline──▶ Terminating ──deadline──▶ Killing ──▶ (no rank lives)
//                      the others may      SIGTERM sent              SIGKILL sent
//                      do the same
//
// A cause is a rank that dies by a signal, ends with a non-zero code, or announces an exit or an error; or a
// signal to the supervisor, the death of its guard, a lost host, output that nobody reads any more, or the
// end of a time limit. The first cause decides the code and the line. Two exceptions, within the cause's
// grace: gasnet_exit(0) gives way to a failure, so that "the first non-zero code" is kept; and SIGQUIT to the
// supervisor gives way to what a rank announces when it gets that signal too, so that its handler decides the
// code. What happens to ranks after SIGTERM was sent does not count, because the supervisor has caused it.
//
// A rank that leaves in another way with code 0 is no cause by itself: it returns from main, calls exit(0) or
// _exit(0), never starts the library, or becomes another program. All ranks may do so, one long after the
// other, because a rank still computes or writes files. It becomes a cause when a remaining rank has since
// then waited for others, without a break, for the time that ranks may wait (GASNET_EXITTIMEOUT), and so
// would wait for ever. If no rank has started the library, no rank waits.
//
// A rank may end the job because a peer does not answer. Then this class adds to the line what the rank
// cannot know: the peer's host, and whether the peer's process is stopped; take_silent_peer() asks the caller
// to find that out during the grace.
//
// The caller reports events in the order in which they happened and, for one rank, its announcements before
// its end.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "observe/state.hpp"

namespace aqueduct::job {

struct RankEvent;

class Ending {
 public:
  /// `host_name` names the host of a rank, for the line; without it all ranks are on one host, which lines
  /// call `here`.
  using HostName = std::function<std::string(RankId rank)>;
  explicit Ending(RankId ranks, HostName host_name = {}, std::string here = {})
      : host_name_(std::move(host_name)), here_(std::move(here)), ranks_(ranks), alive_(ranks) {}

  // Events. Times are in nanoseconds of one monotonic clock.
  /// Calls the function below that fits the event (job/supervision/rank_source.hpp).
  void rank_event(const RankEvent& event, std::uint64_t now_ns);
  void rank_called_exit(RankId rank, int code, std::uint64_t now_ns);
  /// A client uses the rank from now on; once a rank has left, others may wait for `timeout_ms`.
  void rank_started(RankId rank, int timeout_ms);
  void rank_returned(RankId rank, std::uint64_t now_ns);
  /// The rank's process runs another program now, which is not part of the job.
  void rank_replaced(RankId rank, std::uint64_t now_ns);
  /// `peer` is the rank the peer that does not answer, if the text is about that.
  void rank_aborted(RankId rank, std::string text, std::uint64_t now_ns, RankId peer = kNoRank);
  /// `remark` says more about its end, and is appended in the line.
  void rank_ended(RankId rank, int wait_status, std::uint64_t now_ns, const std::string& remark = {});
  /// Whether the rank waits for others, as far as can be seen; to be reported while is_watching().
  void rank_waits(RankId rank, bool is_waiting, std::uint64_t now_ns);
  void supervisor_signalled(int signal, std::uint64_t now_ns);
  void guard_was_killed(std::uint64_t now_ns);
  /// These ranks were not started, or are unreachable with their host: they count as ended. `line` says why.
  void host_was_lost(std::span<const RankId> ranks, const std::string& line, int code, std::uint64_t now_ns);
  /// The agent of `host` got this signal there, which asks it to end.
  void agent_signalled(const std::string& host, int signal, std::uint64_t now_ns);
  /// `error` is the errno of the write. EPIPE, as with `| head`, ends the job without a line.
  void output_failed(int error, std::uint64_t now_ns);

  /// If the job ends because a rank does not answer, returns that rank once: the caller should look at its
  /// process now.
  std::optional<RankId> take_silent_peer();
  /// Reports the state of that process. Ignored for other ranks.
  void rank_was_seen(RankId rank, observe::ProcessState state, std::uint64_t now_ns);

  /// From now on a rank that dies does not end the job, as long as another one lives.
  void go_on_after_deaths(bool goes_on = true) { goes_on_ = goes_on; }
  bool goes_on_after_deaths() const { return goes_on_; }
  struct Death {
    RankId rank;
    std::string line;  ///< without a newline; empty if the line of another rank of that host covers it
  };
  /// The deaths that did not end the job, each returned once.
  std::vector<Death> take_deaths() { return std::exchange(deaths_, {}); }

  /// The job may take so many seconds from now on.
  void limit_time(double seconds, std::uint64_t now_ns);

  enum class Step { kNone, kTerminate, kKill };
  /// What the caller must do to all living ranks now; returns each step once.
  Step step(std::uint64_t now_ns);
  /// When to call step() again if nothing happens before; ~0: never.
  std::uint64_t next_step_ns() const { return is_running() ? time_end_ns_ : phase_end_ns_; }

  /// Whether a rank has left, so that the caller must report which of the others wait.
  bool is_watching() const { return is_running() && !departure_.what.empty() && has_started_; }
  /// How many ranks the job has.
  RankId ranks() const { return static_cast<RankId>(ranks_.size()); }
  bool is_running() const { return phase_ == Phase::kRunning; }
  bool is_over() const { return alive_ == 0; }

  int exit_code() const { return cause_.code; }
  /// The line without a newline; empty if none is needed.
  std::string line() const;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  enum class Phase { kRunning, kGrace, kTerminating, kKilling };
  struct Cause {
    std::string line = {};
    int code = 0;
    bool is_exit_zero = false;
    bool is_announced = false;  ///< a rank announced it before it ended
    bool is_quit = false;
    RankId peer = kNoRank;  ///< that does not answer
  };

  struct Rank {
    bool has_started = false;
    bool is_leaving = false;  ///< it has announced its exit; freeing its memory may take long
    bool has_ended = false;
    std::uint64_t waits_since_ns = kNever;
    std::string last_words = {};  ///< the line of its error, if others go on
  };
  /// The first rank that left without ending the job.
  struct Departure {
    std::string what = {};  ///< who did what; empty: no rank has left
    std::uint64_t at_ns = 0;
  };

  bool some_rank_stays() const;
  /// True if the job goes on without that rank, which has died as `what` says.
  bool outlives(RankId rank, const std::string& what);
  /// Takes a cause; true if it decides the code and the line.
  bool take(Cause cause, std::uint64_t grace_ns, std::uint64_t now_ns);
  void note_departure(RankId rank, const std::string& what, std::uint64_t now_ns);
  void judge_departure(std::uint64_t now_ns);

  /// "rank 3", or "rank 3 on host b".
  std::string name(RankId rank) const;
  /// Inserts the host of a peer after its number.
  void name_host_of(RankId peer, std::string& text) const;

  HostName host_name_;
  std::string here_;
  std::vector<Rank> ranks_;
  RankId alive_;
  Phase phase_ = Phase::kRunning;
  std::uint64_t began_ns_ = 0;  ///< when the first cause was reported
  std::uint64_t phase_end_ns_ = kNever;
  Cause cause_;
  Departure departure_;
  bool has_started_ = false;  ///< a rank has started
  std::uint64_t timeout_ns_ = 0;
  std::uint64_t time_end_ns_ = kNever;  ///< when the time limit ends
  double time_limit_s_ = 0;
  bool goes_on_ = false;
  std::vector<Death> deaths_;
  enum class Look { kNone, kWanted, kAsked } look_ = Look::kNone;  ///< whether to look at the silent peer
  bool was_forced_ = false;  ///< a rank that was not leaving still lived when the grace was over
};

}  // namespace aqueduct::job
