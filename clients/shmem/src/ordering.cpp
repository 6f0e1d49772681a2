// Fence, quiet and the barriers of all PEs.
#include <atomic>

#include "checks.hpp"
#include "exported.hpp"
#include "far.hpp"
#include "shmem.h"
#include "team.hpp"

namespace aqshmem {

void synchronise_team(gex_TM_t team) {
  const Inside inside;
  gex_Coll_BarrierBlocking(team, 0);
}

void barrier_all() {
  complete(nullptr);
  synchronise_team(job.world);
}

}  // namespace aqshmem

using namespace aqshmem;

SHMEM_EXPORT(void, ctx_quiet, (shmem_ctx_t ctx)) {
  if (!ctx) return;
  must_be_started("shmem_quiet");
  complete(ctx);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
SHMEM_EXPORT(void, quiet, (void)) { pshmem_ctx_quiet(SHMEM_CTX_DEFAULT); }

// Networks do not keep the order of puts, so that those under way are completed.
SHMEM_EXPORT(void, ctx_fence, (shmem_ctx_t ctx)) {
  if (!ctx) return;
  must_be_started("shmem_fence");
  complete(ctx);
  std::atomic_thread_fence(std::memory_order_release);
}
SHMEM_EXPORT(void, fence, (void)) { pshmem_ctx_fence(SHMEM_CTX_DEFAULT); }

SHMEM_EXPORT(void, ctx_pe_quiet, (shmem_ctx_t ctx, const int*, size_t)) { pshmem_ctx_quiet(ctx); }
SHMEM_EXPORT(void, pe_quiet, (const int*, size_t)) { pshmem_quiet(); }

SHMEM_EXPORT(void, barrier_all, (void)) {
  must_be_started("shmem_barrier_all");
  check_same("shmem_barrier_all", job.world, {});
  barrier_all();
}

SHMEM_EXPORT(void, sync_all, (void)) {
  must_be_started("shmem_sync_all");
  check_same("shmem_sync_all", job.world, {});
  synchronise_team(job.world);
}

SHMEM_EXPORT(int, team_sync, (shmem_team_t team)) {
  if (!team) return -1;
  must_be_started("shmem_team_sync");
  check_same("shmem_team_sync", team->tm, {});
  synchronise_team(team->tm);
  return 0;
}
