// A job without a launcher: the user sets AQUEDUCT_RANK for each process, and AQUEDUCT_SIZE and
// AQUEDUCT_ROOT, an address at which rank 0 listens, for all.
//
// Rank 0 runs the rendezvous of all ranks there (job/bootstrap/rendezvous.hpp), which then form the tree of
// job/bootstrap/tcp_bootstrap.hpp; so a rank number that occurs twice, another size and another version are
// refused with one line each. Ranks wait AQUEDUCT_START_TIMEOUT seconds for the others.
//
// The user's key (job/launchers/given_key.hpp) keeps strangers out. On the loopback interface ranks need
// none: they agree on one that other users of the machine do not get (job/launchers/local_key.hpp). Elsewhere
// a job without a key is refused, because anybody who reaches rank 0 could take the place of a rank, unless
// AQUEDUCT_JOB_KEY=none says that nobody else can reach it.
#pragma once
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

/// Reads these variables; a missing or malformed one is fatal.
std::unique_ptr<LauncherExchange> open_plain();

/// AQUEDUCT_START_TIMEOUT, in milliseconds.
int start_timeout_ms();

}  // namespace aqueduct::job::launchers
