// When a job ends, with which code, and the one line that says why.
//
// This is the policy alone: it is told what happened and says what to do next; it starts, signals and reads
// nothing.
//
//   Running ──cause──▶ Grace ──deadline──▶ Terminating ──deadline──▶ Killing ──▶ (no rank lives)
//                      the others may      SIGTERM sent              SIGKILL sent
//                      do the same
//
// A cause is a rank that dies by a signal, ends with a non-zero code, announces an exit or an error, a signal
// to the supervisor, the death of its guard, a host that is lost, output that nobody reads any more, or a
// time limit that is over. The first cause decides the code and the line, whatever follows from it. Two
// exceptions, within the cause's grace: gasnet_exit(0) gives way to a failure, so that "the first non-zero
// code" is kept; and SIGQUIT to the supervisor gives way to what a rank announces when it gets that signal
// too, so that its handler decides the code. What happens to ranks after SIGTERM was sent is our doing and
// says nothing.
//
// A rank that leaves in another way with code 0 is no cause by itself: it returns from main or calls exit(0),
// calls _exit(0), never starts the library, or becomes another program. All ranks may do so, one long after
// the other, because it still computes or writes files. It becomes a cause when a rank that is still there
// has waited for others, since then and without a break, for the time that ranks may wait
// (GASNET_EXITTIMEOUT): that one would wait for ever. A job of ranks none of which has started the library
// has nobody who waits.
//
// A rank may end the job because another one does not answer. Its line then gets what it cannot know: the
// peer's host, and whether the peer's process is stopped, which the caller is asked to look at
// (take_silent_peer) while the others have their grace.
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
  /// `host_name` names the host of a rank, for the line; without it, all are on one, which is `here` in lines
  /// that say where to look.
  using HostName = std::function<std::string(RankId rank)>;
  explicit Ending(RankId ranks, HostName host_name = {}, std::string here = {})
      : host_name_(std::move(host_name)), here_(std::move(here)), ranks_(ranks), alive_(ranks) {}

  // Events. Times are in nanoseconds of one monotonic clock.
  /// Whichever of those below that deal with one rank it is (job/supervision/rank_source.hpp).
  void rank_event(const RankEvent& event, std::uint64_t now_ns);
  void rank_called_exit(RankId rank, int code, std::uint64_t now_ns);
  /// It is a client of the library from now on; once a rank has left, others may wait for `timeout_ms`.
  void rank_started(RankId rank, int timeout_ms);
  void rank_returned(RankId rank, std::uint64_t now_ns);
  /// It runs another program now, which knows nothing of the job.
  void rank_replaced(RankId rank, std::uint64_t now_ns);
  /// `peer` is the rank that does not answer, if the text is about that.
  void rank_aborted(RankId rank, std::string text, std::uint64_t now_ns, RankId peer = kNoRank);
  /// `remark` is what else is known of its end, to be put behind it in the line.
  void rank_ended(RankId rank, int wait_status, std::uint64_t now_ns, const std::string& remark = {});
  /// Whether it waits for others, as far as can be seen; asked for while is_watching().
  void rank_waits(RankId rank, bool is_waiting, std::uint64_t now_ns);
  void supervisor_signalled(int signal, std::uint64_t now_ns);
  void guard_was_killed(std::uint64_t now_ns);
  /// These ranks were not started, or are out of reach with their host: they count as ended. `line` says why.
  void host_was_lost(std::span<const RankId> ranks, const std::string& line, int code, std::uint64_t now_ns);
  /// What started a host's ranks has been asked to end by this signal, there.
  void agent_signalled(const std::string& host, int signal, std::uint64_t now_ns);
  /// `error` is the errno of the write. EPIPE is what `| head` does: it ends the job without a word.
  void output_failed(int error, std::uint64_t now_ns);

  /// The rank that does not answer, if the job ends because of that: its process should be looked at now.
  /// Said once.
  std::optional<RankId> take_silent_peer();
  /// So was it found. Of other ranks this says nothing.
  void rank_was_seen(RankId rank, observe::ProcessState state, std::uint64_t now_ns);

  /// From now on a rank that dies does not end the job, as long as another one lives.
  void go_on_after_deaths(bool goes_on = true) { goes_on_ = goes_on; }
  bool goes_on_after_deaths() const { return goes_on_; }
  struct Death {
    RankId rank;
    std::string line;  ///< without a newline; empty: it was said with another rank's, of the same host
  };
  /// Those that did not end the job, each told once.
  std::vector<Death> take_deaths() { return std::exchange(deaths_, {}); }

  /// The job may take so many seconds from now on.
  void limit_time(double seconds, std::uint64_t now_ns);

  enum class Step { kNone, kTerminate, kKill };
  /// What has to be done to all living ranks now; says each step once.
  Step step(std::uint64_t now_ns);
  /// When step() has to be asked again, if nothing happens before; ~0 for never.
  std::uint64_t next_step_ns() const { return is_running() ? time_end_ns_ : phase_end_ns_; }

  /// A rank has left, so that it matters which of the others wait.
  bool is_watching() const { return is_running() && !departure_.what.empty() && has_started_; }
  /// How many the job has.
  RankId ranks() const { return static_cast<RankId>(ranks_.size()); }
  bool is_running() const { return phase_ == Phase::kRunning; }
  bool is_over() const { return alive_ == 0; }

  int exit_code() const { return cause_.code; }
  /// Without a newline; empty where nothing has to be said.
  std::string line() const;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  enum class Phase { kRunning, kGrace, kTerminating, kKilling };
  struct Cause {
    std::string line = {};
    int code = 0;
    bool is_exit_zero = false;
    bool is_announced = false;  ///< by a rank, before it ended
    bool is_quit = false;
    RankId peer = kNoRank;  ///< that does not answer
  };

  struct Rank {
    bool has_started = false;
    bool is_leaving = false;  ///< has said so; giving back its memory may still take long
    bool has_ended = false;
    std::uint64_t waits_since_ns = kNever;
    std::string last_words = {};  ///< the line with which it has ended itself, where others go on
  };
  /// The first rank that left without ending the job.
  struct Departure {
    std::string what = {};  ///< who did what; empty: nobody has left
    std::uint64_t at_ns = 0;
  };

  bool some_rank_stays() const;
  /// True if the job goes on without that rank, which has died: `what` says how.
  bool outlives(RankId rank, const std::string& what);
  /// Whether it is the one that counts.
  bool take(Cause cause, std::uint64_t grace_ns, std::uint64_t now_ns);
  void note_departure(RankId rank, const std::string& what, std::uint64_t now_ns);
  void judge_departure(std::uint64_t now_ns);

  /// "rank 3", or "rank 3 on host b".
  std::string name(RankId rank) const;
  /// Puts the host of a peer behind its number.
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
  bool has_started_ = false;  ///< some rank has
  std::uint64_t timeout_ns_ = 0;
  std::uint64_t time_end_ns_ = kNever;  ///< when the job has taken as long as it may
  double time_limit_s_ = 0;
  bool goes_on_ = false;
  std::vector<Death> deaths_;
  enum class Look { kNone, kWanted, kAsked } look_ = Look::kNone;  ///< at the peer that does not answer
  bool was_forced_ = false;  ///< a rank that was not leaving still lived when the grace was over
};

}  // namespace aqueduct::job
