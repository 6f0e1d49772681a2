#include "version.hpp"

#include <gasnet_coll.h>

#include <algorithm>
#include <iterator>

#include "aqueduct/sim.h"

namespace aqueduct::bench::random_access {
namespace {

std::vector<VersionKind> all_versions() {
  std::vector<VersionKind> all{
      {"active-messages", "a short active message for each update", true, make_active_messages},
      {"aggregated", "active messages that carry all updates collected for a rank", true, make_aggregated},
      {"atomics", "a remote atomic xor for each update", true, make_atomics},
      {"get-put", "a get, an xor here and a put for each update", false, make_get_put},
  };
  std::ranges::move(further_versions(), std::back_inserter(all));
  return all;
}

/// Polls `version` meanwhile, because others may need that.
void wait_for(gex_Event_t event, Version& version) {
  if (!version.needs_polls()) return gex_Event_Wait(event);
  while (gex_Event_Test(event) == GASNET_ERR_NOT_READY) {
    gasnet_AMPoll();
    version.poll();
  }
}

/// Sums over all ranks: up a tree and down again, which takes two messages for each rank. (A reduction to all
/// of them is over in half the time and takes a message for each rank and each of its log2(ranks) steps.)
std::uint64_t sum_over_ranks(const Job& job, Version& version, std::uint64_t mine) {
  constexpr gex_Rank_t kRoot = 0;
  std::uint64_t sum = 0, known = 0;
  wait_for(gex_Coll_ReduceToOneNB(job.team, kRoot, &sum, &mine, GEX_DT_U64, sizeof mine, 1, GEX_OP_ADD,
                                  nullptr, nullptr, 0),
           version);
  wait_for(gex_Coll_BroadcastNB(job.team, kRoot, &known, &sum, sizeof sum, 0), version);
  return known;
}

/// Waits until nothing has come for `ns`, because asking all ranks too often would disturb updates under way.
void wait_for_quiet(const Job& job, Version& version, std::uint64_t ns) {
  std::uint64_t seen, since;
  do {
    seen = job.share->received;
    since = aqueduct_sim_time_ns();
    while (aqueduct_sim_time_ns() - since < ns) {
      gasnet_AMPoll();
      version.poll();
    }
  } while (job.share->received != seen);
}

}  // namespace

const world::Work kUpdateMade("update_made");
const world::Work kUpcUpdate("upc_update");
const world::Work kTableUpdate("table_update");

std::span<const VersionKind> versions() {
  static const std::vector<VersionKind> all = all_versions();
  return all;
}

const VersionKind* find_version(std::string_view name) {
  for (const VersionKind& kind : versions()) {
    if (name == kind.name) return &kind;
  }
  return nullptr;
}

void Job::barrier() const { gex_Event_Wait(gex_Coll_BarrierNB(team, 0)); }

// After the first sum nobody makes updates any more, so the number of sent ones is fixed, and that of
// received ones only grows: a sum of 0 means that all have come. Whatever was received is applied before a
// rank says so; hence, when a rank knows of a sum of 0, all updates are applied everywhere.
double run_pass(const Job& job, Version& version) {
  job.barrier();
  const std::uint64_t start = aqueduct_sim_time_ns();
  job.share->begun_ns = start;
  version.make_updates();
  job.share->made_ns = aqueduct_sim_time_ns();
  for (;;) {
    const std::uint64_t asked = aqueduct_sim_time_ns();
    job.share->table.apply_held_back();
    if (sum_over_ranks(job, version, version.sent() - job.share->received) == 0) break;
    wait_for_quiet(job, version, aqueduct_sim_time_ns() - asked);
  }
  return static_cast<double>(aqueduct_sim_time_ns() - start);
}

void apply_again(const Job& job, std::span<Table* const> tables) {
  Stream stream = job.stream_of(0);
  const std::uint64_t all = job.updates * job.size;
  for (std::uint64_t i = 0; i < all; ++i) {
    const std::uint64_t value = stream.next();
    Table* const table = tables.size() == 1 ? tables.front() : tables[job.partition.owner(value)];
    if (table->has(value)) *table->word(value) ^= value;
  }
}

}  // namespace aqueduct::bench::random_access
