// How the ranks of a test report: rank 0 what passed, every rank what it saw fail, with the command that
// replays it.
#pragma once

namespace aqueduct::test {

/// Replaces GoogleTest's printer by ours and keeps the watchdog armed during each case. Call after joining
/// the job.
void report_as_rank(const char* program);

}  // namespace aqueduct::test
