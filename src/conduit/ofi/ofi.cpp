#include "conduit/ofi/ofi.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <bit>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "conduit/ofi/bare.hpp"
#include "conduit/ofi/ofi_conduit.hpp"
#include "conduit/plugin/plugin.hpp"
#include "net/network_interface.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::ofi {
namespace {

constexpr std::size_t kSmallBytes = 1024;
constexpr unsigned kSmallBuffers = 256;
constexpr unsigned kSingleReceives = 64;  // where each takes one message
constexpr int kPreference = 3;
constexpr int kPreferenceWithHardware = 45;

std::size_t message_bytes(const Settings& settings) {
  return round_up(kMostPrefixBytes + parts::padded(settings.limits().max_medium), kCacheLine);
}

unsigned tag_bits(RankId ranks) {
  return std::min(16u, 32u - static_cast<unsigned>(std::bit_width(ranks - 1)));
}

BufferPool make_receives(Network& network, const Settings& settings) {
  return network.properties().multi_receive
             ? BufferPool(network, Operation::Kind::kReceive, settings.receive_buffers,
                          settings.receive_buffer_bytes)
             : BufferPool(network, Operation::Kind::kReceive,
                          std::max(settings.receive_buffers, kSingleReceives), message_bytes(settings));
}

bool is_on_one_machine(const job::Membership& place) {
  return !place.rendezvous || place.hosts_are_given || place.rendezvous.is_loopback();
}

// Where others reach this host: of a job on one machine the loopback interface.
net::Address address_of_host(const job::Membership& place) {
  return is_on_one_machine(place) ? net::Address::loopback() : net::address_towards(place.rendezvous);
}

const char* why_not(const job::Membership& place) {
  static std::string why;
  const Provider provider = provider_for(Settings::from_environment(), place);
  why = provider.reason;
  return provider.info ? nullptr : why.c_str();
}

int preference_here(const job::Membership& place) {
  const Provider provider = provider_for(Settings::from_environment(), place);
  return provider.info && !provider.is_software() ? kPreferenceWithHardware : kPreference;
}

std::unique_ptr<Conduit> open(const Opening& opening) {
  const Settings settings = Settings::from_environment();
  Provider provider = provider_for(settings, opening.place);
  if (!provider.info) fatal("ofi", "%s", provider.reason.c_str());
  if (provider.properties.max_message_bytes < message_bytes(settings)) {
    fatal("ofi", "provider %s carries messages of at most %zu bytes; lower GASNET_OFI_MAX_MEDIUM (%zu)",
          provider.name(), provider.properties.max_message_bytes, settings.max_medium);
  }
  offer_bare_interface(opening);
  return std::make_unique<OfiConduit>(settings, std::move(provider), opening);
}

std::string details() {
  const Provider provider = choose_provider(Settings::from_environment(), {});
  if (!provider.info) return provider.reason;
  return std::string("provider ") + provider.name() + ", " + provider.reason + "; " +
         provider.properties.text();
}

}  // namespace

Provider provider_for(const Settings& settings, const job::Membership& place) {
  Provider provider = choose_provider(settings, address_of_host(place));
  if (provider.info && provider.reaches_one_machine_only() && !is_on_one_machine(place)) {
    provider.info.reset();
    provider.reason = "provider shm reaches one machine, and the job has several";
  }
  return provider;
}

OfiConduit::OfiConduit(const Settings& settings, Provider provider, const Opening& opening)
    : limits_(provider.properties.limits(settings)),
      self_(opening.place.rank),
      tag_bits_(tag_bits(opening.place.size)),
      world_(opening.world),
      clock_(opening.world.clock()),
      receiver_(opening.receiver),
      network_(settings, std::move(provider), opening, message_bytes(settings)),
      inject_bytes_(network_.properties().inject_bytes),
      large_for_replies_(Settings::kMostPieces),
      large_for_messages_(2 * Settings::kMostPieces - 1),
      small_(network_, Operation::Kind::kSend, kSmallBuffers, kSmallBytes),
      large_(network_, Operation::Kind::kSend, settings.bounce_buffers, message_bytes(settings)),
      receives_(make_receives(network_, settings)),
      segments_(network_),
      credits_(opening.place.size, settings.requests_per_peer, settings.requests_per_peer / 2),
      most_polls_(std::max(1u, receives_.free() / 4)),
      is_touched_(opening.place.size) {
  if (network_.properties().local_registration && settings.firehose)
    firehose_ = std::make_unique<parts::Firehose>(static_cast<parts::Firehose::Client&>(*this),
                                                  parts::Firehose::Settings{});
  const Properties& properties = network_.properties();
  if (properties.writes_longs() || env::text({"AQUEDUCT_LONG_PROTOCOL"})) {
    long_kind_ = parts::choose_long_protocol("ofi", properties.long_abilities());
    long_ = parts::make_long_protocol(long_kind_, *this);
  }
  while (Buffer* const buffer = receives_.take(0)) release(buffer);
}

OfiConduit::~OfiConduit() = default;

std::vector<std::byte> OfiConduit::export_segment(const SegmentBounds& mine) {
  const std::lock_guard guard(lock_);
  return segments_.export_segment(mine);
}
void OfiConduit::withdraw_segment() {
  const std::lock_guard guard(lock_);
  segments_.withdraw();
}
void OfiConduit::import_segments(const SegmentKeys& keys) {
  const std::lock_guard guard(lock_);
  segments_.import(keys);
}
void OfiConduit::segments_attached(std::span<const SegmentBounds> segments) {
  const std::lock_guard guard(lock_);
  segment_ = segments[self_];
  segments_.set_bounds(segments);
  has_rma_ = network_.properties().puts_and_gets();
  writes_longs_ = long_ != nullptr;
}

const Description& description() {
  static const Description described = [] {
    Description made{};
    made.name = "ofi";
    made.summary = "libfabric: InfiniBand, Slingshot, EFA, Omni-Path, or sockets";
    made.uses_neighbourhood = true;
    made.max_ranks = job::kMaxRanks;
    made.preference = kPreference;
    made.preference_here = preference_here;
    made.why_not = why_not;
    made.open = open;
    made.limits = [] {
      const Settings settings = Settings::from_environment();
      const Provider chosen = choose_provider(settings, {});
      return chosen.info ? chosen.properties.limits(settings) : settings.limits();
    };
    made.details = details;
    return made;
  }();
  return described;
}

}  // namespace aqueduct::conduit::ofi

// What libfabric can find hardware by: InfiniBand, EFA, Omni-Path and RoCE; Slingshot; Gemini and Aries; and
// providers that a user has added or asked for.
AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::ofi::description(),
                        .preference = aqueduct::conduit::ofi::kPreference,
                        .most = aqueduct::conduit::ofi::kPreferenceWithHardware,
                        .where =
                            "/sys/class/infiniband/* /dev/hfi1* /sys/class/cxi/* /dev/cxi* /dev/kgni* "
                            "$FI_PROVIDER $FI_PROVIDER_PATH");
