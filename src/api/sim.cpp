#include "aqueduct/sim.h"

#include "base/context.hpp"
#include "job/world.hpp"

using namespace aqueduct;

extern "C" {

int aqueduct_sim_active(void) { return current_context.world ? 1 : 0; }

uint64_t aqueduct_sim_time_ns(void) {
  return current_context.world ? current_context.world->clock().now_ns() : machine_clock().now_ns();
}

void aqueduct_sim_compute_ns(uint64_t ns) {
  if (current_context.world) return current_context.world->compute(ns);
  const uint64_t end = machine_clock().now_ns() + ns;
  while (machine_clock().now_ns() < end) {
  }
}

uint64_t aqueduct_sim_seed(void) { return current_context.world ? current_context.world->seed() : 0; }
}
