// A job that no launcher has started: whoever starts the processes tells each its AQUEDUCT_RANK, and all of
// them AQUEDUCT_SIZE and AQUEDUCT_ROOT, an address at which rank 0 listens.
//
// Rank 0 runs the rendezvous of all ranks there (job/rendezvous.hpp), who then form the tree of
// job/tcp_bootstrap.hpp; so a rank number that is there twice, ranks that were told of other sizes and other
// versions are refused with one line each. Who starts too late is waited for, AQUEDUCT_START_TIMEOUT seconds.
//
// AQUEDUCT_JOB_KEY, 64 hexadecimal digits, the same for all ranks, keeps others out. Without it whoever
// reaches the address of rank 0 can take the place of a rank.
#pragma once
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

/// Reads the four variables; what is missing or malformed is fatal.
std::unique_ptr<Exchange> open_plain();

/// AQUEDUCT_START_TIMEOUT, in milliseconds.
int start_timeout_ms();

}  // namespace aqueduct::job::launchers
