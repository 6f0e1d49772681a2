// A small job that shows whether ranks reach each other: every rank puts into the memory of every other and
// checks what it was given. Rank 0 prints one line.
#pragma once

namespace aqueduct::doctor {

inline constexpr const char* kProbeCommand = "doctor-probe";

/// One of its ranks. Joins the job that it was started in; does not return but by gasnet_exit.
int run_probe();

}  // namespace aqueduct::doctor
