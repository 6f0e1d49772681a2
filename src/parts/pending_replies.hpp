// Somebody whom peers owe answers: what a conduit tells of what it waits for, so that peers which may never
// answer are noticed (portals_watch.hpp) and a job that hangs can say who waits for whom.
//
// Threads: any, with no lock held that sending needs. All but settle() may also be called from outside the
// rank, for a report on a simulation.
#pragma once
#include <string>

#include "parts/peer_watch.hpp"

namespace aqueduct::parts {

class PendingReplies {
 public:
  /// Adds those who owe something now. Should there be more than can be probed, each call begins elsewhere.
  virtual void find_awaited(parts::PeerWatch::Awaited& awaited) = 0;
  /// Called before, where this rank runs: what is paid and lies about is put away.
  virtual void settle() {}
  /// What this peer owes, in words: "2 replies and 1 answer to a put or get". Empty: nothing.
  virtual std::string debts_of(RankId peer) = 0;

 protected:
  ~PendingReplies() = default;
};

/// What `pending` has not got of whom, in words: "2 replies of rank 3". Empty: nothing.
std::string awaited_by(PendingReplies& pending);

/// "2 replies", "1 reply", or nothing if there are none.
std::string counted(unsigned count, const char* one, const char* many);
/// Both, with an "and" between them if neither is empty.
std::string and_also(const std::string& some, const std::string& more);

}  // namespace aqueduct::parts
