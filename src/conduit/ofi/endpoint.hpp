// What the parts of the ofi conduit share: its hold of libfabric, the buffers that things leave from, and
// where segments are.
//
// Threads: everything but construction with `lock` held, over every call of libfabric.
#pragma once
#include "base/spin_lock.hpp"
#include "conduit/ofi/buffers.hpp"
#include "conduit/ofi/segment_keys.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::ofi {

struct Endpoint {
  Endpoint(const Settings& how, Provider provider, const Opening& opening);

  const Properties& properties() const { return network.properties(); }
  /// Our segment's and everybody's bounds.
  void segments_attached(std::span<const SegmentBounds> bounds);

  const Settings settings;
  const job::Membership& place;
  const RankId self;
  const RankId ranks;
  const Limits limits;
  world::World& world;
  Receiver& receiver;

  SpinLock lock;  ///< of what follows, and of the parts of the conduit
  Network network;
  SendBuffers sends;
  SegmentRegistration segments;
  SegmentBounds segment;
  bool has_segments = false;
  bool is_closed = false;  ///< this rank has left
};

}  // namespace aqueduct::conduit::ofi
