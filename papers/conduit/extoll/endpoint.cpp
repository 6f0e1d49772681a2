#include "papers/conduit/extoll/endpoint.hpp"

#include <cstring>

#include "base/fatal.hpp"

namespace aqueduct::conduit::extoll {

Endpoint::Endpoint(const ExtollSettings& how, parts::LongProtocolKind longs, const Opening& opening)
    : settings(how),
      self(opening.place.rank),
      ranks(opening.place.size),
      long_kind(longs),
      world(opening.world),
      receiver(opening.receiver),
      nic(ranks, how.posts, world),
      local(nic, {.bounce_bytes = how.bounce_pool_bytes,
                  .bounce_chunk_bytes = how.bounce_bytes,
                  .registrations = how.registrations,
                  .max_region_bytes = ExtollSettings::kMaxLong + kPage}),
      lines_((ranks + kLineBlock - 1) / kLineBlock) {
  local.set_bounce_handle(nic.register_or_end(reinterpret_cast<std::uintptr_t>(local.bounce_base()),
                                              local.bounce_bytes(), "the bounce buffers"));
  struct ExtollCard {
    std::uint32_t address, requests, is_exposed;
  };
  const ExtollCard mine{nic.address(), how.requests, long_kind == parts::LongProtocolKind::kRendezvousGet};
  const job::Gathered& all = opening.bootstrap.all_gather(job::bytes_of(mine));
  std::vector<std::uint32_t> addresses(ranks);
  for (RankId rank = 0; rank < ranks; ++rank) {
    ExtollCard card;
    if (all[rank].size() != sizeof card) fatal(kName, "rank %u has another version of this conduit", rank);
    std::memcpy(&card, all[rank].data(), sizeof card);
    if (card.requests != mine.requests || card.is_exposed != mine.is_exposed)
      fatal(kName,
            "ranks %u and %u differ in settings that must be the same: AQUEDUCT_EXTOLL_REQUESTS, "
            "AQUEDUCT_LONG_PROTOCOL",
            rank, self);
    addresses[rank] = card.address;
  }
  nic.set_addresses(std::move(addresses));
}

std::vector<std::byte> Endpoint::export_segment(const SegmentBounds& mine) {
  if (mine.size == 0) return {};
  if (mine.size > kMostSegmentBytes)
    fatal(kName, "a segment of %zu bytes is larger than this conduit can address, %llu", mine.size,
          static_cast<unsigned long long>(kMostSegmentBytes));
  segment_puts = nic.register_or_end(mine.base, mine.size, "the segment");
  segment_longs = nic.register_or_end(mine.base, mine.size, "the segment");
  const SegmentKey key{mine.base, segment_puts.nla, segment_longs.nla};
  std::vector<std::byte> bytes(sizeof key);
  std::memcpy(bytes.data(), &key, sizeof key);
  return bytes;
}

void Endpoint::withdraw_segment() {
  for (Registered* const registered : {&segment_puts, &segment_longs}) {
    if (registered->region) nic.deregister_memory(*registered);
    *registered = {};
  }
}

void Endpoint::segments_attached(std::span<const SegmentBounds> segments) {
  segment = segments[self];
  local.add_known(segment, segment_puts);
}

SegmentKey Endpoint::segment_of(RankId rank) const {
  const job::Bytes bytes = keys[rank];
  SegmentKey key;
  if (bytes.size() != sizeof key) fatal(kName, "rank %u has not said how its segment is reached", rank);
  std::memcpy(&key, bytes.data(), sizeof key);
  return key;
}

}  // namespace aqueduct::conduit::extoll
