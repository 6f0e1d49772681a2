#include "clients/caf/meeting.hpp"

#include <gasnet_coll.h>

#include "clients/caf/job.hpp"
#include "clients/caf/transfer.hpp"
#include "clients/caf/wait_name.hpp"

namespace aqueduct::caf {
namespace {

/// How far a member has come, as it says now.
TeamProgress progress_of(const Team& team, gex_Rank_t rank) {
  TeamProgress progress{};
  get_bytes(&progress, rank, offset_of(team.progress), sizeof progress);
  return progress;
}

void meet_remaining(const Team& team, std::uint64_t barrier) {
  for (int image = 1; image <= team.size; ++image) {
    const gex_Rank_t rank = team.rank_of(image);
    GASNET_BLOCKUNTIL(status_of(rank) != kOk || progress_of(team, rank).entered >= barrier);
  }
}

/// Whether all members had come to this barrier, although some have failed since, for all we can know:
/// somebody has left it in the usual way, or those who have failed have entered it, which can be seen where
/// their memory is mapped.
bool all_had_entered(const Team& team, std::uint64_t barrier) {
  bool failed_had = true;
  for (int image = 1; image <= team.size; ++image) {
    const gex_Rank_t rank = team.rank_of(image);
    const bool has_words = !has_failed(rank) || job.peers[rank].here;
    const TeamProgress progress = has_words ? progress_of(team, rank) : TeamProgress{};
    if (progress.left >= barrier) return true;
    failed_had = failed_had && progress.entered >= barrier;
  }
  return failed_had;
}

/// A number that another barrier, or a part of the members, hardly adds up to.
std::uint64_t share_of(std::uint64_t barrier) { return (barrier * 0x9e3779b97f4a7c15) | 1; }

/// For reports: which of the neighbours has not come as far; 0 if none is known. Others would have to be
/// asked.
int find_late_neighbour(const Team& team, std::uint64_t TeamProgress::*count, std::uint64_t wanted) {
  for (int image = 1; image <= team.size; ++image) {
    const gex_Rank_t rank = team.rank_of(image);
    if (job.peers[rank].here && progress_of(team, rank).*count < wanted) return image;
  }
  return 0;
}

/// A barrier where failures are reported.
Absence meet_and_count(const Team& team, std::uint64_t barrier, const char* statement) {
  std::uint64_t total = share_of(barrier);
  const std::uint64_t right = total * static_cast<std::uint64_t>(team.size);
  const gex_Event_t event = gex_Coll_ReduceToAllNB(team.tm, &total, &total, GEX_DT_U64, sizeof total, 1,
                                                   GEX_OP_ADD, nullptr, nullptr, 0);
  const Absence absence = wait_for_all(team, event, &TeamProgress::entered, barrier, statement);
  if (absence) return absence;
  if (total == right) return {};
  // Somebody has failed, and we shall be told who.
  Absence found;
  GASNET_BLOCKUNTIL(bool(found = find_absence(team, &TeamProgress::entered, barrier)));
  return found;
}

}  // namespace

Absence find_absence(const Team& team, std::uint64_t TeamProgress::*count, std::uint64_t wanted) {
  Absence failed;
  for (int image = 1; image <= team.size; ++image) {
    const gex_Rank_t rank = team.rank_of(image);
    const StatValue state = status_of(rank);
    if (state == kStoppedImage && progress_of(team, rank).*count < wanted) return {state, image};
    if (state == kFailedImage) failed = {state, image};
  }
  return failed;
}

void report(const Absence& absence, const Outcome& outcome, const char* statement) {
  outcome.fail(absence.state, statement, "image %d has %s", absence.image,
               absence.state == kStoppedImage ? "stopped" : "failed");
}

Absence wait_for_all(const Team& team, gex_Event_t event, std::uint64_t TeamProgress::*count,
                     std::uint64_t wanted, const char* statement) {
  bool done = gex_Event_Test(event) == GASNET_OK;
  if (done) return {};
  WaitName name(statement);
  std::uint64_t looks = 0, next_naming = 64;
  int late = 0;
  bool is_renamed = false;
  const auto may_go_on = [&] {
    done = gex_Event_Test(event) == GASNET_OK;
    if (!done && ++looks == next_naming) {
      next_naming *= 4;
      const int now = find_late_neighbour(team, count, wanted);
      is_renamed = now != late;
      late = now;
    }
    return done || is_renamed;
  };
  while (!done) {
    const std::uint32_t seen = departures();
    if (seen)
      if (const Absence absence = find_absence(team, count, wanted)) return absence;
    wait_unless_departed(seen, may_go_on);
    if (is_renamed && late) name.becomes_late(statement, late, team.rank_of(late));
    is_renamed = false;
  }
  return {};
}

Absence meet(Team& team, const char* statement) {
  const std::uint64_t barrier = team.progress->entered + 1;
  __atomic_store_n(&team.progress->entered, barrier, __ATOMIC_RELEASE);
  Absence absence;
  if (departures()) absence = find_absence(team, &TeamProgress::entered, barrier);
  if (!absence)
    absence = job.reports_failures ? meet_and_count(team, barrier, statement)
                                   : wait_for_all(team, gex_Coll_BarrierNB(team.tm, 0),
                                                  &TeamProgress::entered, barrier, statement);
  if (absence.state == kFailedImage) {
    meet_remaining(team, barrier);
    if (all_had_entered(team, barrier)) absence = {};
  }
  if (!absence) __atomic_store_n(&team.progress->left, barrier, __ATOMIC_RELEASE);
  return absence;
}

}  // namespace aqueduct::caf
