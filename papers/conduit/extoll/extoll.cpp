#include "papers/conduit/extoll/extoll.hpp"

#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "papers/conduit/extoll/extoll_conduit.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::extoll {
namespace {

constexpr RankId kMostNodes = 0xfffe;  // ids of nodes have 16 bits, of which two are reserved

std::unique_ptr<AmImplementation> make_am(AmVersion version, PacketLink& link) {
  return version == AmVersion::kFirst ? make_first_am(link) : make_second_am(link);
}

}  // namespace

ExtollConduit::ExtollConduit(const Settings& settings, const Opening& opening)
    : AnswerWatch(kName, static_cast<parts::PendingReplies&>(*this), opening.world),
      settings_(settings),
      self_(opening.place.rank),
      ranks_(opening.place.size),
      world_(opening.world),
      receiver_(opening.receiver),
      long_kind_(parts::choose_long_protocol(kName, ExtollConduit::long_abilities())),
      nic_(ranks_, settings.posts, world_),
      local_(nic_, {.bounce_bytes = settings.bounce_pool_bytes,
                    .bounce_chunk_bytes = settings.bounce_bytes,
                    .registrations = settings.registrations,
                    .max_region_bytes = Settings::kMaxLong + kPage}),
      transfers_(*this),
      credits_(ranks_, settings.requests, std::max(1u, settings.requests / 2)),
      peers_((ranks_ + kPeerBlock - 1) / kPeerBlock),
      am_(make_am(settings.am, *this)),
      long_(parts::make_long_protocol(long_kind_, *this)) {
  local_.set_bounce_handle(nic_.register_or_end(reinterpret_cast<std::uintptr_t>(local_.bounce_base()),
                                                local_.bounce_bytes(), "the bounce buffers"));
  probe_bytes_registered_ = nic_.register_or_end(reinterpret_cast<std::uintptr_t>(probe_bytes_.data()),
                                                 probe_bytes_.size(), "the bytes of probes");
  struct Card {
    std::uint32_t address, requests, is_exposed;
  };
  const Card mine{nic_.address(), settings.requests, long_kind_ == parts::LongProtocolKind::kRendezvousGet};
  const job::Gathered& all = opening.bootstrap.all_gather(job::bytes_of(mine));
  std::vector<std::uint32_t> addresses(ranks_);
  for (RankId rank = 0; rank < ranks_; ++rank) {
    Card card;
    if (all[rank].size() != sizeof card) fatal(kName, "rank %u has another version of this conduit", rank);
    std::memcpy(&card, all[rank].data(), sizeof card);
    if (card.requests != mine.requests || card.is_exposed != mine.is_exposed)
      fatal(kName,
            "ranks %u and %u differ in settings that must be the same: AQUEDUCT_EXTOLL_REQUESTS, "
            "AQUEDUCT_LONG_PROTOCOL",
            rank, self_);
    addresses[rank] = card.address;
  }
  nic_.set_addresses(std::move(addresses));
}

// Segments.

std::vector<std::byte> ExtollConduit::export_segment(const SegmentBounds& mine) {
  if (mine.size == 0) return {};
  if (mine.size > kMostSegmentBytes)
    fatal(kName, "a segment of %zu bytes is larger than this conduit can address, %llu", mine.size,
          static_cast<unsigned long long>(kMostSegmentBytes));
  segment_puts_ = nic_.register_or_end(mine.base, mine.size, "the segment");
  segment_longs_ = nic_.register_or_end(mine.base, mine.size, "the segment");
  const SegmentKey key{mine.base, segment_puts_.nla, segment_longs_.nla};
  std::vector<std::byte> bytes(sizeof key);
  std::memcpy(bytes.data(), &key, sizeof key);
  return bytes;
}

void ExtollConduit::withdraw_segment() {
  for (Registered* const registered : {&segment_puts_, &segment_longs_}) {
    if (registered->region) nic_.deregister_memory(*registered);
    *registered = {};
  }
}

void ExtollConduit::segments_attached(std::span<const SegmentBounds> segments) {
  segment_ = segments[self_];
  local_.add_known(segment_, segment_puts_);
}

// Reports.

// A get that the peer's card answers, of the first byte of its segment. One that is still under way need not
// be sent again.
void ExtollConduit::probe(RankId rank, std::uint32_t name) {
  if (keys_[rank].empty()) return;
  const std::lock_guard guard(lock_);
  Command* unused = nullptr;
  for (Command& command : probes_) {
    if (command.is_over()) unused = &command;
    if (!command.is_over() && command.peer == rank) return;
  }
  if (!unused) return;
  const std::size_t index = static_cast<std::size_t>(unused - probes_.data());
  unused->use = Use::kProbe;
  unused->peer = rank;
  unused->probe = name;
  nic_.get(peer(rank).line, *unused, probe_bytes_registered_.nla + index, 1, segment_of(rank).puts);
}

void ExtollConduit::list_unanswered(parts::PeerWatch::ProbeList& peers) {
  const auto guard = parts::lock_for_report(lock_, world_.is_simulated());
  credits_.list_unanswered(peers);
  nic_.for_each_awaited([&](const Command& command) { peers.add(command.peer); });
  for (const Outgoing* out : unsent_) peers.add(out->target);
}

std::string ExtollConduit::missing_from(RankId rank) {
  const auto guard = parts::lock_for_report(lock_, world_.is_simulated());
  unsigned commands = 0, stuck = 0;
  nic_.for_each_awaited([&](const Command& command) { commands += command.peer == rank; });
  for (const Outgoing* out : unsent_) stuck += out->target == rank;
  const std::string answers =
      parts::and_also(parts::counted(credits_.outstanding(rank), "reply or credit", "replies or credits"),
                      parts::counted(commands, "answer to a put or get", "answers to puts or gets"));
  return parts::and_also(answers,
                         parts::counted(stuck, "place in the mailbox for a message that is half sent",
                                        "places in the mailbox for messages that are half sent"));
}

namespace {

std::unique_ptr<Conduit> open(const Opening& opening) {
  return std::make_unique<ExtollConduit>(Settings::from_environment(), opening);
}

}  // namespace

const Description kDescription = {
    .name = kName,
    .summary = "VELO and RMA, as on EXTOLL cards, carried by shared memory or datagrams",
    .uses_neighbourhood = false,
    .max_ranks = kMostNodes < job::kMaxRanks ? kMostNodes : job::kMaxRanks,
    .preference = 0,
    .open = open,
    .limits = [] { return Settings::limits(); },
    .nic = "extoll",
};

}  // namespace aqueduct::conduit::extoll
