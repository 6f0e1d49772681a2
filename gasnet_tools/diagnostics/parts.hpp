// The parts of the self-test.
#pragma once
#include "gasnet_fwd.h"
#include "gasnet_tools/diagnostics/report.hpp"

namespace aqueduct::gasnet_tools::diagnostics {

// By one thread.
void test_numbers(const Plan& plan, Report& report);
void test_bytes(const Plan& plan, Report& report);
void test_ticks(const Plan& plan, Report& report);
void test_environment(const Plan& plan, Report& report);
void test_heap(const Plan& plan, Report& report);

// By plan.threads threads, which make no call of gasnetex.h.
void test_atomics(const Plan& plan, Report& report);
void test_locks(const Plan& plan, Report& report);

/// The pair of ranks that the parts below work with.
struct Peer {
  gex_TM_t tm;
  gex_Rank_t rank;
  void* segment;
};

// By all ranks together; by plan.threads threads if the client has promised that several may call.
void test_messages(const Plan& plan, const Peer& peer, Report& report);
void test_put_and_get(const Plan& plan, const Peer& peer, Report& report);
void test_barriers(const Plan& plan, const Peer& peer, Report& report);

}  // namespace aqueduct::gasnet_tools::diagnostics
