// The key that the user gives to the ranks of a job by plain environment (job/launchers/plain.hpp), the same
// to all of them:
//
//   AQUEDUCT_JOB_KEY       64 hexadecimal digits, or `none`
//   AQUEDUCT_JOB_KEY_FILE  a file with such digits, which nobody but its owner may read or write
//
// One file may serve many jobs: each derives a key of its own from it (JobKey::derive).
#pragma once
#include <optional>

#include "net/job_key.hpp"

namespace aqueduct::job::launchers {

/// The key; an empty one for `none`; nothing if the user has set neither variable. A malformed key, or a file
/// that others may read, is fatal. Wipes the variable AQUEDUCT_JOB_KEY.
std::optional<net::JobKey> given_key();

}  // namespace aqueduct::job::launchers
