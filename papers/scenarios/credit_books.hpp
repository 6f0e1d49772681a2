// Checks from outside that the credits of all ranks of a simulation are conserved, and counts their use. For
// the conduit `portals`; with another conduit there are no accounts, and nothing is checked.
//
// A simulation is one process and one thread, so each rank may read the accounts of all. Credits travel with
// messages, so they can be counted only when none is under way. meet() finds such a moment without sending
// anything.
#pragma once
#include <cstdint>
#include <vector>

#include "papers/parts/credits.hpp"

namespace aqueduct::scenarios {

class CreditBooks {
 public:
  /// Before each run.
  void open(RankId ranks);

  /// By each rank, after the library has started.
  void join();

  /// By all ranks: returns when all have come and nothing is under way between them. At that moment the
  /// credits are audited; an error ends the simulation with one line.
  void meet();

  // Of this run, up to the last meeting.
  const parts::CreditCounts& counts_of_run() const { return this_run_; }
  /// Memory that one rank has for the requests of others; 0 without books.
  std::size_t receive_bytes() const { return receive_bytes_; }

  // Over all runs so far.
  std::uint64_t audits() const { return audits_; }
  parts::CreditCounts counts() const;

 private:
  bool try_to_close();
  bool is_quiet();

  std::vector<const parts::Credits*> ranks_;
  std::size_t receive_bytes_ = 0;
  RankId arrived_ = 0;
  RankId suspect_ = 0;        // a rank that was not quiet at the last look
  std::uint64_t closed_ = 0;  // meetings of this run
  std::uint64_t audits_ = 0;
  parts::CreditCounts before_;    // in earlier runs
  parts::CreditCounts this_run_;  // up to the last meeting
};

}  // namespace aqueduct::scenarios
