// Turns a hang into a report.
//
// While armed, a timer of this process runs. When it ends, the process says what it was doing and where, and
// ends with code kHungExitCode, which ends the job. The limit is AQUEDUCT_TEST_TIMEOUT_S, default 60 seconds.
#pragma once
#include <string>

namespace aqueduct::test {

inline constexpr int kHungExitCode = 99;

/// Starts the timer anew for `activity`.
void arm_watchdog(const std::string& activity);
void disarm_watchdog();

}  // namespace aqueduct::test
