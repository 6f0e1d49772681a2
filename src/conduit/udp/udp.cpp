#include "conduit/udp/udp.hpp"

#include "conduit/over_port.hpp"
#include "fabric/udp/port.hpp"
#include "fabric/udp/seal.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::udp {
namespace {

constexpr fabric::Plane kUdpPlane{2};

constexpr OverPortOptions kOptions = {
    .limits = {.max_medium = am::kMostMedium, .max_long = std::size_t{1} << 20},
    .credits = 192,
    .has_rma = true,
};

std::unique_ptr<Conduit> open(const Opening& opening) {
  return over_port("udp", opening.world.open_port(kUdpPlane, fabric::Carrier::kDatagrams), opening.receiver,
                   kOptions);
}

}  // namespace

const Description kDescription = {
    .name = "udp",
    .summary = "between hosts, over UDP datagrams that are authenticated; needs nothing but a kernel",
    .uses_neighbourhood = true,
    .max_ranks = job::kMaxRanks,
    .preference = 5,
    .open = open,
    .limits = [] { return kOptions.limits; },
    .nic = "fabric",
    .details = fabric::udp::describe_seals,
    .peer_memory =
        [] {
          const fabric::udp::PeerMemory port = fabric::udp::peer_memory();
          return PeerMemory{port.silent, port.known, port.busy};
        },
    .survives_failures = true,
};

}  // namespace aqueduct::conduit::udp
