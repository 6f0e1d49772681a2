// A small job that shows whether ranks reach each other: every rank puts into the memory of every other rank
// and checks what it has received. Rank 0 prints one line.
#pragma once

namespace aqueduct::doctor {

inline constexpr const char* kProbeCommand = "doctor-probe";

/// The main function of its ranks. Joins the job that it was started in; ends by gasnet_exit.
int run_probe();

}  // namespace aqueduct::doctor
