// Meetings of all members of a team, when some may have stopped or failed.
//
// Who has departed comes to no further meeting; whether it had come to this one is what matters, for one that
// stops or fails right after a barrier must not spoil it for a slower image. Each member publishes how far it
// has come (TeamProgress), at the same offset in each segment, and others read that when they learn of a
// departure. Nobody has to answer questions.
//
// stopped   The library's barrier completes if the image had entered it. Otherwise it never will, and this
// one is left alone: later ones
//           are not begun any more.
// failed    A barrier of the library with a dead member is over at once, for whoever waits, perhaps before
// this image knows of the death. So
//           where failures are reported a barrier is a sum to which each member adds the same number: only if nobody is missing is
//           the total right. If it is not, the members that are left wait until each of them has entered (meet_remaining). Whoever
//           has left the barrier with a right total has entered it, so both kinds of waiting agree.
#pragma once
#include <gasnetex.h>

#include <cstdint>

#include "clients/caf/error.hpp"
#include "clients/caf/status.hpp"
#include "clients/caf/team.hpp"

namespace aqueduct::caf {

/// A member that will not come.
struct Absence {
  StatValue state = kOk;  ///< kOk: there is none
  int image = 0;
  explicit operator bool() const { return state != kOk; }
};

/// Somebody who has stopped without having come as far as `wanted`, or has failed.
Absence find_absence(const Team& team, std::uint64_t TeamProgress::*count, std::uint64_t wanted);

/// Sets the outcome to that absence, or ends the job.
void report(const Absence& absence, const Outcome& outcome, const char* statement);

/// Waits for an operation of the whole team, to which members have come as far as `wanted` counts, or until
/// somebody is absent.
Absence wait_for_all(const Team& team, gex_Event_t event, std::uint64_t TeamProgress::*count,
                     std::uint64_t wanted, const char* statement);

/// A barrier of the team.
Absence meet(Team& team, const char* statement);

}  // namespace aqueduct::caf
