// A job that no launcher has started: whoever starts the processes tells each its AQUEDUCT_RANK, and all of
// them AQUEDUCT_SIZE and AQUEDUCT_ROOT, an address at which rank 0 listens.
//
// Rank 0 runs the rendezvous of all ranks there (job/bootstrap/rendezvous.hpp), who then form the tree of
// job/bootstrap/tcp_bootstrap.hpp; so a rank number that is there twice, ranks that were told of other sizes
// and other versions are refused with one line each. Who starts too late is waited for,
// AQUEDUCT_START_TIMEOUT seconds.
//
// The user's key (job/launchers/given_key.hpp) keeps others out. On the loopback interface ranks need none:
// they agree on one that other users of the machine do not get (job/launchers/local_key.hpp). Elsewhere a job
// without a key is refused, unless AQUEDUCT_JOB_KEY=none says that nobody else can reach the address of rank
// 0: whoever does could take the place of a rank.
#pragma once
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

/// Reads these variables; what is missing or malformed is fatal.
std::unique_ptr<Exchange> open_plain();

/// AQUEDUCT_START_TIMEOUT, in milliseconds.
int start_timeout_ms();

}  // namespace aqueduct::job::launchers
