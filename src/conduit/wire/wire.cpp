#include "conduit/wire/wire.hpp"

#include "conduit/over_port.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::wire {
namespace {

constexpr fabric::Plane kWirePlane{0};

std::unique_ptr<Conduit> open(const Opening& opening) {
  return over_port("wire", opening.world.open_port(kWirePlane, fabric::Carrier::kAny), opening.receiver);
}

}  // namespace

const Description kDescription = {
    .name = "wire",
    .summary = "active messages over a bare fabric; here, between processes of one host",
    .uses_neighbourhood = false,
    .max_ranks = job::kMaxRanks,
    .preference = 1,
    .open = open,
    .limits = [] { return kLimitsOverPort; },
    .nic = "fabric",
    .survives_failures = true,
};

}  // namespace aqueduct::conduit::wire
