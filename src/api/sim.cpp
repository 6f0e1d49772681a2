#include "aqueduct/sim.h"

#include "base/context.hpp"
#include "world/world.hpp"

using namespace aqueduct;

extern "C" {

int aqueduct_sim_active(void) { return world::is_simulated() ? 1 : 0; }

uint64_t aqueduct_sim_time_ns(void) { return world::current().clock().now_ns(); }

void aqueduct_sim_compute_ns(uint64_t ns) { world::current().compute(ns); }

uint64_t aqueduct_sim_seed(void) { return world::current().seed(); }
}
