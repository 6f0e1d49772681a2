#include "papers/conduit/aries/aries.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"
#include "papers/conduit/aries/aries_conduit.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::aries {

MessageArea::MessageArea(const Settings& settings, RankId ranks)
    : buffer_bytes_(settings.buffer_bytes()),
      immediate_(round_up(settings.total_depth * buffer_bytes_, kPage)),
      rendezvous_(round_up(immediate_ + settings.descriptors * Settings::kImmediateBytes, kPage)),
      regions_(rendezvous_ + (settings.is_rendezvous(ranks)
                                  ? round_up(settings.rendezvous_buffers * buffer_bytes_, kPage)
                                  : 0)),
      region_bytes_(settings.is_rendezvous(ranks) ? 0 : settings.region_bytes),
      peer_bytes_(round_up(region_bytes_ + 2 * sizeof(std::uint64_t) * settings.depth, 64)),
      bytes_(round_up(regions_ + ranks * peer_bytes_, kPage)) {
  // Zeros, and memory only where somebody has written.
  void* const memory =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    fatal(kName, "no memory for the messages of %u ranks, %zu bytes: %s", ranks, bytes_,
          std::strerror(errno));
  base_ = static_cast<std::byte*>(memory);
}

MessageArea::~MessageArea() { ::munmap(base_, bytes_); }

namespace {

// Whatever all others together may have under way to us: headers and payloads of their requests, and of each
// request of ours a header, a payload and a control message. Where payloads are read instead, each Long of
// ours, also a reply, is followed by a control message.
std::uint32_t most_arrivals(const Settings& settings, RankId ranks, parts::LongProtocolKind kind) {
  const bool reads = kind == parts::LongProtocolKind::kRendezvousGet;
  const unsigned of_peer = settings.depth + (reads ? settings.depth : settings.long_depth);
  return 4 * settings.total_depth + (ranks - 1) * of_peer + 16;
}

}  // namespace

AriesConduit::AriesConduit(const Settings& settings, const Opening& opening)
    : AnswerWatch(kName, static_cast<parts::PendingReplies&>(*this), opening.world),
      settings_(settings),
      self_(opening.place.rank),
      ranks_(opening.place.size),
      world_(opening.world),
      receiver_(opening.receiver),
      area_(settings, ranks_),
      long_kind_(parts::choose_long_protocol(kName, AriesConduit::long_abilities())),
      is_rendezvous_(settings.is_rendezvous(ranks_)),
      nic_(self_, ranks_, most_arrivals(settings, ranks_, long_kind_), settings, world_.clock()),
      peers_(ranks_),
      outstanding_(settings.total_depth),
      scratch_(settings.buffer_bytes()),
      local_(*this, {.bounce_bytes = settings.bounce_bytes,
                     .bounce_chunk_bytes = settings.bounce_chunk_bytes(),
                     .caches = settings.caches_registrations,
                     .registrations = settings.registrations,
                     .max_region_bytes = Settings::kMaxLong + kPage}),
      transfers_(*this),
      long_(parts::make_long_protocol(long_kind_, *this)) {
  for (std::uint32_t slot = settings.total_depth; slot-- > 0;) free_buffers_.push_back(slot);
  if (is_rendezvous_) fetches_.resize(settings.rendezvous_buffers);
  for (std::size_t i = 0; i < fetches_.size(); ++i) {
    fetches_[i].conduit = this;
    fetches_[i].body = area_.at(area_.rendezvous_buffer(i));
    free_fetches_.push_back(&fetches_[i]);
  }
  nic_.set_immediate(area_.at(area_.immediate()));
  check(GNI_MemRegister(nic_.handle(), reinterpret_cast<std::uint64_t>(area_.base()), area_.bytes(),
                        nic_.arrivals(), GNI_MEM_STRICT_PI_ORDERING | GNI_MEM_PI_FLUSH | GNI_MEM_READWRITE,
                        static_cast<std::uint32_t>(-1), &area_memory_),
        "GNI_MemRegister of the messages");
  local_.add_known({reinterpret_cast<std::uintptr_t>(area_.base()), area_.bytes()}, area_memory_);
  gni_mem_handle_t bounce_memory{};
  check(GNI_MemRegister(nic_.handle(), reinterpret_cast<std::uint64_t>(local_.bounce_base()),
                        local_.bounce_bytes(), nullptr, GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1),
                        &bounce_memory),
        "GNI_MemRegister of the bounce buffers");
  local_.set_bounce_handle(bounce_memory);
  exchange_cards(opening.bootstrap);
}

void AriesConduit::exchange_cards(job::Bootstrap& bootstrap) {
  const Card mine{reinterpret_cast<std::uint64_t>(area_.base()),
                  area_memory_,
                  nic_.address(),
                  settings_.depth,
                  settings_.slot_bytes,
                  settings_.buffer_bytes(),
                  area_.region(0)};
  const job::Gathered& all = bootstrap.all_gather(job::bytes_of(mine));
  areas_.resize(ranks_);
  std::vector<std::uint32_t> addresses(ranks_);
  for (RankId rank = 0; rank < ranks_; ++rank) {
    if (all[rank].size() != sizeof(Card)) fatal(kName, "rank %u has another version of this conduit", rank);
    std::memcpy(&areas_[rank], all[rank].data(), sizeof(Card));
    const Card& card = areas_[rank];
    if (card.depth != mine.depth || card.slot_bytes != mine.slot_bytes ||
        card.buffer_bytes != mine.buffer_bytes || card.first_region != mine.first_region)
      fatal(kName,
            "ranks %u and %u differ in settings that must be the same: GASNET_NETWORKDEPTH, "
            "GASNET_NETWORKDEPTH_TOTAL, "
            "GASNET_NETWORKDEPTH_SPACE, GASNET_GNI_MAX_MEDIUM, GASNET_GNI_PACKEDLONG_CUTOVER, "
            "GASNET_GNI_NUM_PD",
            rank, self_);
    addresses[rank] = card.address;
  }
  nic_.set_addresses(std::move(addresses));
}

std::vector<std::byte> AriesConduit::export_segment(const SegmentBounds& mine) {
  if (mine.size == 0) return {};
  check(GNI_MemRegister(nic_.handle(), mine.base, mine.size, nic_.arrivals(), settings_.segment_flags,
                        static_cast<std::uint32_t>(-1), &segment_memory_),
        "GNI_MemRegister of the segment");
  std::vector<std::byte> key(sizeof segment_memory_);
  std::memcpy(key.data(), &segment_memory_, sizeof segment_memory_);
  return key;
}

void AriesConduit::withdraw_segment() {
  if (segment_memory_.qword1 != 0 || segment_memory_.qword2 != 0)
    check(GNI_MemDeregister(nic_.handle(), &segment_memory_), "GNI_MemDeregister");
  segment_memory_ = {};
}

void AriesConduit::segments_attached(std::span<const SegmentBounds> segments) {
  segment_ = segments[self_];
  local_.add_known(segment_, segment_memory_);
}

namespace {

std::unique_ptr<Conduit> open(const Opening& opening) {
  return std::make_unique<AriesConduit>(Settings::from_environment(), opening);
}

}  // namespace

const Description kDescription = {
    .name = "aries",
    .summary = "uGNI, as on the Cray XC, carried by shared memory or datagrams",
    .uses_neighbourhood = false,
    .max_ranks = kMostRanks < job::kMaxRanks ? kMostRanks : job::kMaxRanks,
    .preference = 0,
    .open = open,
    .limits = [] { return Settings::from_environment().limits(); },
    .nic = "ugni",
};

}  // namespace aqueduct::conduit::aries
