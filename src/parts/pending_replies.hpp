// What a conduit says about the answers that it waits for, so that peers which may never answer are noticed
// (papers/parts/answer_watch.hpp) and a job that hangs can say who waits for whom.
//
// Threads: any, with no lock held that sending needs. All but settle() may also be called from outside the
// rank, for a report on a simulation.
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "base/spin_lock.hpp"
#include "observe/state.hpp"
#include "parts/probe_list.hpp"

namespace aqueduct::parts {

class PendingReplies {
 public:
  /// Adds the peers from which an answer is missing now. Should there be more than can be probed, each call
  /// begins with others.
  virtual void list_unanswered(parts::ProbeList& peers) = 0;
  /// Called before, where this rank runs: puts away what has been answered meanwhile.
  virtual void settle() {}
  /// What is missing from this peer, in words: "2 replies and 1 answer to a put or get". Empty: nothing.
  virtual std::string missing_from(RankId peer) = 0;

 protected:
  ~PendingReplies() = default;
};

/// What is missing from whom. The last has no peer if others may owe something as well.
std::vector<observe::Missing> missing_answers(PendingReplies& pending);

/// For list_unanswered() and missing_from(): the lock of a live rank. A report on a simulation comes from
/// outside, also while the rank stands still in the middle of something with its lock held: then it is not
/// taken.
inline std::unique_lock<SpinLock> lock_for_report(SpinLock& lock, bool is_simulated) {
  return is_simulated ? std::unique_lock<SpinLock>() : std::unique_lock(lock);
}

/// "2 replies", "1 reply", or nothing if there are none.
std::string counted(unsigned count, const char* one, const char* many);
/// Both, with an "and" between them if neither is empty.
std::string and_also(const std::string& some, const std::string& more);

}  // namespace aqueduct::parts
