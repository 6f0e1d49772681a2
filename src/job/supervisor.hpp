// The supervisor: starts the ranks of a job, carries their output and signals, and sees to it that they end
// together.
//
// - Output: each rank's stdout and stderr come through pipes and leave in whole lines, optionally prefixed by
// "[rank] ".
//   A last line without a newline is passed on when the rank ends.
// - Input: rank 0 inherits standard input; the others read from /dev/null.
// - Signals: INT, TERM, HUP, QUIT, USR1, USR2, (TSTP/CONT as the terminal delivers them) reach every rank.
// - End: a rank that dies by a signal, ends with a non-zero code, reports a fatal error or calls gasnet_exit
// ends the
//   job: the others get a moment to do the same (collective exit), then SIGTERM, then SIGKILL, all within one
//   second. One line on stderr says which rank and why, unless every rank left cleanly with code 0. A rank
//   that ends with code 0 on its own lets the others finish.
// - Nothing is left: ranks ask to die with their parent, and descendants of ranks are adopted and killed at
// the end.
//
// The exit code is the first non-zero one; 128+n for a rank ended by signal n.
#pragma once
#include <string>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::job {

struct Launch {
  RankId ranks = 1;
  std::vector<std::string> command;  ///< program and arguments; empty: the ranks are forks of this process
  std::string conduit;               ///< exported as AQUEDUCT_CONDUIT where not empty
  std::string bind = "auto";         ///< auto | none | compact | spread | a list of cores "0,2,4-7"
  bool tag = false;                  ///< prefix every line of output with its rank
};

/// Where supervise() returned.
struct Supervised {
  bool in_rank =
      false;  ///< true in a forked rank (only where `command` is empty): the caller goes on as that rank
  int exit_code = 0;  ///< in the supervisor, after the last rank has ended
};

/// Runs a job to its end. Prints one line and returns a non-zero code if it cannot be started.
Supervised supervise(const Launch& launch);

}  // namespace aqueduct::job
