// What every supervisor does before it starts ranks or agents.
#pragma once
#include <string>

#include "job/supervision/signals.hpp"
#include "job/supervision/supervisor.hpp"

namespace aqueduct::job {

inline constexpr int kBadArguments = 2;

/// Writes in one line why there is no job.
Supervised refuse_job(const std::string& why, int code);

/// Why the limits of this process do not allow a job; empty if they do.
std::string what_forbids_a_job(const SupervisorSignals& signals);

/// Opens descriptors 0 to 2 if they are closed: a pipe with such a number would be replaced by a rank's own
/// streams.
void fill_standard_descriptors();

}  // namespace aqueduct::job
