#include "papers/conduit/aries/endpoint.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"

namespace aqueduct::conduit::aries {

MessageArea::MessageArea(const AriesSettings& settings, RankId ranks)
    : buffer_bytes_(settings.buffer_bytes()),
      immediate_(round_up(settings.total_depth * buffer_bytes_, kPage)),
      rendezvous_(round_up(immediate_ + settings.descriptors * AriesSettings::kImmediateBytes, kPage)),
      regions_(rendezvous_ + (settings.is_rendezvous(ranks)
                                  ? round_up(settings.rendezvous_buffers * buffer_bytes_, kPage)
                                  : 0)),
      region_bytes_(settings.is_rendezvous(ranks) ? 0 : settings.region_bytes),
      peer_bytes_(round_up(region_bytes_ + 2 * sizeof(std::uint64_t) * settings.depth, 64)),
      bytes_(round_up(regions_ + ranks * peer_bytes_, kPage)) {
  // Zeroed; only written pages take memory.
  void* const memory =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    fatal(kName, "no memory for the messages of %u ranks, %zu bytes: %s", ranks, bytes_,
          std::strerror(errno));
  base_ = static_cast<std::byte*>(memory);
}

MessageArea::~MessageArea() { ::munmap(base_, bytes_); }

namespace {

// The most events that all other ranks may have under way to this one: headers and payloads of their
// requests, and for each request of this rank a header, a payload and a control message. If targets read
// payloads, a control message also follows each Long of this rank, even a reply.
std::uint32_t most_arrivals(const AriesSettings& settings, RankId ranks, parts::LongProtocolKind kind) {
  const bool reads = kind == parts::LongProtocolKind::kRendezvousGet;
  const unsigned of_peer = settings.depth + (reads ? settings.depth : settings.long_depth);
  return 4 * settings.total_depth + (ranks - 1) * of_peer + 16;
}

}  // namespace

Endpoint::Endpoint(const AriesSettings& how, parts::LongProtocolKind longs, const Opening& opening)
    : settings(how),
      self(opening.place.rank),
      ranks(opening.place.size),
      long_kind(longs),
      is_rendezvous(how.is_rendezvous(ranks)),
      world(opening.world),
      receiver(opening.receiver),
      area(how, ranks),
      nic(self, most_arrivals(how, ranks, longs), how, world.clock()),
      local(nic, {.bounce_bytes = how.bounce_bytes,
                  .bounce_chunk_bytes = how.bounce_chunk_bytes(),
                  .caches = how.caches_registrations,
                  .registrations = how.registrations,
                  .max_region_bytes = AriesSettings::kMaxLong + kPage}) {
  nic.set_immediate(area.at(area.immediate()));
  check(GNI_MemRegister(nic.handle(), reinterpret_cast<std::uint64_t>(area.base()), area.bytes(),
                        nic.arrivals(), GNI_MEM_STRICT_PI_ORDERING | GNI_MEM_PI_FLUSH | GNI_MEM_READWRITE,
                        static_cast<std::uint32_t>(-1), &area_memory),
        "GNI_MemRegister of the messages");
  local.add_known({reinterpret_cast<std::uintptr_t>(area.base()), area.bytes()}, area_memory);
  gni_mem_handle_t bounce_memory{};
  check(GNI_MemRegister(nic.handle(), reinterpret_cast<std::uint64_t>(local.bounce_base()),
                        local.bounce_bytes(), nullptr, GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1),
                        &bounce_memory),
        "GNI_MemRegister of the bounce buffers");
  local.set_bounce_handle(bounce_memory);
  exchange_cards(opening.bootstrap);
}

void Endpoint::exchange_cards(job::Bootstrap& bootstrap) {
  const AriesCard mine{reinterpret_cast<std::uint64_t>(area.base()),
                       area_memory,
                       nic.address(),
                       settings.depth,
                       settings.slot_bytes,
                       settings.buffer_bytes(),
                       area.region(0)};
  const job::Gathered& all = bootstrap.all_gather(job::bytes_of(mine));
  areas.resize(ranks);
  std::vector<std::uint32_t> addresses(ranks);
  for (RankId rank = 0; rank < ranks; ++rank) {
    if (all[rank].size() != sizeof(AriesCard))
      fatal(kName, "rank %u has another version of this conduit", rank);
    AriesCard card;
    std::memcpy(&card, all[rank].data(), sizeof card);
    if (card.depth != mine.depth || card.slot_bytes != mine.slot_bytes ||
        card.buffer_bytes != mine.buffer_bytes || card.first_region != mine.first_region)
      fatal(kName,
            "ranks %u and %u differ in settings that must be the same: GASNET_NETWORKDEPTH, "
            "GASNET_NETWORKDEPTH_TOTAL, "
            "GASNET_NETWORKDEPTH_SPACE, GASNET_GNI_MAX_MEDIUM, GASNET_GNI_PACKEDLONG_CUTOVER, "
            "GASNET_GNI_NUM_PD",
            rank, self);
    areas[rank] = {card.base, card.memory};
    addresses[rank] = card.address;
  }
  nic.set_addresses(std::move(addresses));
}

std::vector<std::byte> Endpoint::export_segment(const SegmentBounds& mine) {
  if (mine.size == 0) return {};
  check(GNI_MemRegister(nic.handle(), mine.base, mine.size, nic.arrivals(), settings.segment_flags,
                        static_cast<std::uint32_t>(-1), &segment_memory),
        "GNI_MemRegister of the segment");
  std::vector<std::byte> key(sizeof segment_memory);
  std::memcpy(key.data(), &segment_memory, sizeof segment_memory);
  return key;
}

void Endpoint::withdraw_segment() {
  if (segment_memory.qword1 != 0 || segment_memory.qword2 != 0)
    check(GNI_MemDeregister(nic.handle(), &segment_memory), "GNI_MemDeregister");
  segment_memory = {};
}

void Endpoint::segments_attached(std::span<const SegmentBounds> segments) {
  segment = segments[self];
  local.add_known(segment, segment_memory);
}

// Local memory of posts: registered, or copied through a registered buffer.

gni_mem_handle_t Endpoint::segment_of(RankId rank) const {
  if (rank == self) return segment_memory;
  const job::Bytes key = keys[rank];
  gni_mem_handle_t handle{};
  if (key.size() != sizeof handle) fatal(kName, "rank %u has not said how its segment is reached", rank);
  std::memcpy(&handle, key.data(), sizeof handle);
  return handle;
}

bool Endpoint::hold(std::uintptr_t address, bool is_whole, PostDescriptor& descriptor, std::size_t* bytes) {
  if (!local.hold(address, is_whole, descriptor.held, bytes)) return false;
  descriptor.post.local_mem_hndl = descriptor.held.handle;
  return true;
}

std::byte* Endpoint::take_buffer(PostDescriptor& descriptor, std::size_t bytes) {
  if (bytes <= AriesSettings::kImmediateBytes) {
    descriptor.post.local_mem_hndl = area_memory;
    return descriptor.immediate;
  }
  std::byte* const buffer = local.take_bounce(descriptor.held);
  descriptor.post.local_mem_hndl = descriptor.held.handle;
  return buffer;
}

}  // namespace aqueduct::conduit::aries
