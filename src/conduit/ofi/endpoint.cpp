#include "conduit/ofi/endpoint.hpp"

namespace aqueduct::conduit::ofi {

Endpoint::Endpoint(const Settings& how, Provider provider, const Opening& opening)
    : settings(how),
      place(opening.place),
      self(opening.place.rank),
      ranks(opening.place.size),
      limits(provider.properties.limits(how)),
      world(opening.world),
      receiver(opening.receiver),
      network(how, std::move(provider), opening, how.message_bytes()),
      sends(network, how),
      segments(network) {}

void Endpoint::segments_attached(std::span<const SegmentBounds> bounds) {
  segment = bounds[self];
  segments.set_bounds(bounds);
  has_segments = true;
}

}  // namespace aqueduct::conduit::ofi
