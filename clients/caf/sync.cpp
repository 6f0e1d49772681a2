#include "clients/caf/sync.hpp"

#include "clients/caf/job.hpp"
#include "clients/caf/meeting.hpp"
#include "clients/caf/transfer.hpp"

namespace aqueduct::caf {

void sync_team(Team& team, const Outcome& outcome, const char* statement) {
  complete_puts();
  if (const Absence absence = meet(team, statement)) return report(absence, outcome, statement);
  outcome.succeed();
}

void sync_all(const Outcome& outcome, const char* statement) { sync_team(*job.team, outcome, statement); }

void complete_memory(int* stat) {
  complete_puts();
  look_for_messages();
  if (stat) *stat = kOk;
}

}  // namespace aqueduct::caf
