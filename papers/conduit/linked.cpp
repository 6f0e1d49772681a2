// The conduits of libaqueduct-papers and of the simulation: those of libaqueduct, and those of the papers.
#include "conduit/registry/linked.hpp"

#include <array>

#include "conduit/loopback/loopback.hpp"
#include "conduit/smp/smp.hpp"
#include "conduit/udp/udp.hpp"
#include "conduit/wire/wire.hpp"
#include "papers/conduit/aries/aries.hpp"
#include "papers/conduit/extoll/extoll.hpp"
#include "papers/conduit/mpi_portals/mpi_portals.hpp"
#include "papers/conduit/portals/portals.hpp"

namespace aqueduct::conduit {

std::span<const Description* const> linked() {
  static constexpr std::array kLinked = {
      &smp::kDescription,     &loopback::kDescription,    &wire::kDescription,  &udp::kDescription,
      &portals::kDescription, &mpi_portals::kDescription, &aries::kDescription, &extoll::kDescription};
  return kLinked;
}

}  // namespace aqueduct::conduit
