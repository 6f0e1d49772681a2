// The supervisor: starts the ranks of a job, carries their output and signals, and sees to it that they end
// together.
//
// Output   Each rank's stdout and stderr come through pipes and leave in whole lines, with --tag after
//          "[rank] ". A last line without a newline is passed on when the rank ends. Ranks wait for a slow
//          reader.
// Input    Rank 0 inherits standard input; the others read from /dev/null.
// Signals  INT, TERM, HUP, QUIT, USR1 and USR2 reach every rank; TSTP and CONT as the terminal has it.
// End      A rank that dies by a signal, ends with a non-zero code, reports a fatal error or calls
//          gasnet_exit ends the job: the others get a moment to do the same (collective exit), then SIGTERM,
//          then SIGKILL, all within one second. One line on stderr says which rank and why, unless every
//          rank left cleanly with code 0. After a rank that ends with code 0 on its own the others may
//          finish, unless one waits for it (job/supervision/ending.hpp).
// After    Nothing is left. Ranks die with their supervisor, their orphans are adopted and killed at the
//          end, and a second process guards the supervisor (job/supervision/guard.hpp).
//
// Hosts    If AQUEDUCT_LAYOUT makes this machine several hosts, the supervisor runs a rendezvous for their
//          leaders on the loopback interface (job/bootstrap/rendezvous.hpp).
// Limit    When the time limit is over the job ends as after a failure, with code 124.
//
// The exit code is the first non-zero one; 128+n for a rank ended by signal n.
//
// The parts: spawn starts ranks, supervision is the loop that serves them, ending decides when it is over and
// why, output keeps lines whole, signals and reaping talk to the system.
#pragma once
#include <string>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::job {

/// The exit code of a job that exceeds its time limit, the same as that of timeout(1).
inline constexpr int kTimedOut = 124;

struct Launch {
  RankId ranks = 1;
  std::vector<std::string> command;  ///< program and arguments; empty: the ranks are forks of this process
  std::string conduit;               ///< exported as AQUEDUCT_CONDUIT unless empty
  std::string bind = "auto";         ///< auto | none | compact | spread | a list of cores "0,2,4-7"
  bool tag = false;                  ///< prefix every line of output with its rank
  bool same_addresses =
      false;                ///< ranks of a host get the same addresses (job/supervision/same_addresses.hpp)
  double time_limit_s = 0;  ///< after so many seconds the job ends with kTimedOut; 0: no limit
};

/// In which process supervise() has returned.
struct Supervised {
  bool in_rank =
      false;          ///< in a forked rank (only where `command` is empty): the caller goes on as that rank
  int exit_code = 0;  ///< in the process that called, after the last rank has ended
};

/// Runs a job to its end. Prints one line and returns a non-zero code if it cannot be started.
Supervised supervise(const Launch& launch);

}  // namespace aqueduct::job
