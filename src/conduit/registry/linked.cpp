// The conduits of libaqueduct. All others are plug-ins.
#include "conduit/registry/linked.hpp"

#include <array>

#include "conduit/loopback/loopback.hpp"
#include "conduit/smp/smp.hpp"
#include "conduit/udp/udp.hpp"
#include "conduit/wire/wire.hpp"

namespace aqueduct::conduit {

std::span<const Description* const> linked() {
  static constexpr std::array kLinked = {&smp::kDescription, &loopback::kDescription, &wire::kDescription,
                                         &udp::kDescription};
  return kLinked;
}

}  // namespace aqueduct::conduit
