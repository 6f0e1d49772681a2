#include "aqueduct/progress_thread.h"

#include <algorithm>

#include "api/face.hpp"
#include "api/progress_thread.hpp"
#include "core/progress_thread.hpp"

using namespace aqueduct;

namespace {

std::uint32_t wanted_idle_us = 0;
core::ProgressThread* of_process = nullptr;  // lives until the process ends, like the rank

}  // namespace

bool aqueduct::api::wants_progress_thread() { return wanted_idle_us != 0; }

void aqueduct::api::make_progress_thread(core::Rank& rank) {
  if (wanted_idle_us == 0 || rank.is_simulated() || !rank.has_network() ||
      !rank.conduit().serves_any_thread())
    return;
  const std::uint64_t sharing = std::max(rank.place().machine_ranks / std::max(rank.place().cores, 1u), 1u);
  of_process =
      new core::ProgressThread(rank, rank.enter_thread(), sharing * std::uint64_t{wanted_idle_us} * 1000);
}

void aqueduct::api::stop_progress_thread() {
  if (of_process) of_process->stop();
}

extern "C" {

int aqueduct_progress_thread(std::uint32_t idle_us) {
  if (core::process_rank()) return GASNET_ERR_RESOURCE;
  wanted_idle_us = idle_us;
  return GASNET_OK;
}

void aqueduct_away(void) {
  if (of_process) of_process->away();
}

void aqueduct_back(void) {
  if (of_process) of_process->back();
}
}
