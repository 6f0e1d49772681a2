// The key that the user gives to the ranks of a job by plain environment (job/launchers/plain.hpp), the same
// to all of them:
//
//   AQUEDUCT_JOB_KEY       64 hexadecimal digits, or `none`
//   AQUEDUCT_JOB_KEY_FILE  a file with such digits, of which nobody but its user may read or write anything
//
// A file may serve for many jobs: what a job uses is made of it anew each time (JobKey::derive).
#pragma once
#include <optional>

#include "net/job_key.hpp"

namespace aqueduct::job::launchers {

/// `none` is no key, and nothing is that the user has not said anything. What is malformed, or a file that
/// others may read, is fatal. The variable AQUEDUCT_JOB_KEY is wiped.
std::optional<net::JobKey> given_key();

}  // namespace aqueduct::job::launchers
