// The progress thread of the process's rank (aqueduct/progress_thread.h), from its wish to its end.
#pragma once
#include "core/rank.hpp"

namespace aqueduct::api {

bool wants_progress_thread();
/// At the end of gex_Client_Init, by the thread that calls that.
void make_progress_thread(core::Rank& rank);
/// At the end of the process.
void stop_progress_thread();

}  // namespace aqueduct::api
