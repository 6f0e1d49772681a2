#include <unistd.h>

#include <cstdio>

#include "core/segment.hpp"
#include "trace/trace.hpp"

namespace aqueduct::core {
namespace {

using device::Outcome;

// The reason why no segment was made, with rank and device.
struct Refusal {
  int code = GASNET_OK;
  std::string why;
};

Refusal new_memory(device::Card& card, std::uintptr_t bytes, void** memory) {
  device::Driver& driver = card.driver();
  const Outcome outcome = driver.allocate(bytes, memory);
  if (!outcome.failed()) return {};
  std::string why = "a segment of " + std::to_string(bytes) + " bytes: " + card.words(outcome);
  std::size_t free = 0, total = 0;
  if (!driver.memory_size(&free, &total).failed() && free != device::kUnknownBytes)
    why += ", of " + std::to_string(total) + " bytes " + std::to_string(free) + " are free";
  return {GASNET_ERR_RESOURCE, why};
}

// Where the memory lies in its allocation, if all of it lies on that device.
Refusal find_memory(device::Card& card, const Segment& segment, device::Location* location) {
  const Outcome outcome = card.driver().locate(segment.base, location);
  if (outcome.failed()) return {GASNET_ERR_RESOURCE, card.words(outcome)};
  if (!location->is_device || location->ordinal != card.ordinal()) {
    char address[32];
    std::snprintf(address, sizeof address, "%p is ", segment.base);
    return {GASNET_ERR_BAD_ARG,
            address + (location->is_device ? "memory of device " + std::to_string(location->ordinal)
                                           : std::string("no memory of a device"))};
  }
  const std::size_t left =
      location->bytes - static_cast<std::size_t>(static_cast<std::byte*>(segment.base) -
                                                 static_cast<std::byte*>(location->base));
  if (segment.size <= left) return {};
  return {GASNET_ERR_BAD_ARG, "a segment of " + std::to_string(segment.size) + " bytes, and only " +
                                  std::to_string(left) + " are allocated there"};
}

Refusal make(Segment& segment, device::Card& card, std::uintptr_t bytes) {
  if (bytes == 0) return {GASNET_ERR_BAD_ARG, "a segment cannot be empty"};
  device::Driver& driver = card.driver();
  const device::Entered entered(driver, card.context());
  if (entered.outcome.failed()) return {GASNET_ERR_RESOURCE, card.words(entered.outcome)};
  if (segment.is_librarys) {
    if (Refusal refusal = new_memory(card, segment.size, &segment.base); refusal.code != GASNET_OK)
      return refusal;
  }
  device::Location location;
  if (Refusal refusal = find_memory(card, segment, &location); refusal.code != GASNET_OK) {
    if (segment.is_librarys) (void)driver.free(segment.base);
    return refusal;
  }
  // What cannot be exported is staged.
  if (driver.export_memory(location, &segment.exported).failed())
    segment.exported.form = device::Export::Form::kNone;
  segment.exported.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(segment.base) -
                                                       static_cast<std::byte*>(location.base));
  return {};
}

// Lets the network move it, where it can. Without a ForeignCall, which is for the start: other threads run
// here.
void tell_network(Rank& rank, Segment& segment) {
  conduit::DeviceTransfers* const network = rank.conduit().device_transfers();
  if (!network || rank.options().reference_only) return;
  const conduit::DeviceRegion region{segment.card->family(), segment.card->ordinal(), segment.base,
                                     segment.size};
  std::string why_not;
  segment.network = network->add(region, &segment.network_key, &why_not);
  if (trace::on(trace::Category::kObject)) {
    trace::note(trace::Category::kObject, "gex_Segment_Create", segment.size, "on %s: %s%s",
                segment.card->title().c_str(),
                segment.network ? "known to the network" : "staged: ", why_not.c_str());
  }
}

}  // namespace

Segment* create_device_segment(Client& client, MemoryKind& kind, void* address, std::uintptr_t bytes,
                               int* error, std::string* reason) {
  Rank& rank = *client.rank;
  auto segment = std::make_unique<Segment>();
  segment->client = &client;
  segment->memory = Segment::Memory::kDevice;
  segment->card = kind.card;
  segment->kind = &kind;
  segment->is_librarys = address == nullptr;
  segment->base = address;
  segment->size = address ? bytes : round_up(bytes, kPage);
  if (const Refusal refusal = make(*segment, *kind.card, bytes); refusal.code != GASNET_OK) {
    *error = refusal.code;
    *reason = "rank " + std::to_string(rank.id()) + ", " + kind.card->title() + ": " + refusal.why;
    return nullptr;
  }
  tell_network(rank, *segment);
  kind.segments.fetch_add(1, std::memory_order_relaxed);
  rank.objects().devices_of(rank).add(*segment);
  rank.objects().created_segments.add(segment.get());
  return segment.release();
}

void release_device_memory(Rank& rank, Segment& segment) {
  device::Card& card = *segment.card;
  rank.objects().devices()->remove(segment);
  card.drain();
  if (segment.network) rank.conduit().device_transfers()->remove(segment.network);
  segment.kind->segments.fetch_sub(1, std::memory_order_relaxed);
  if (segment.exported.form == device::Export::Form::kDescriptor) ::close(segment.exported.descriptor);
  if (!segment.is_librarys) return;
  const device::Entered entered(card.driver(), card.context());
  card.check(entered.outcome);
  card.check(card.driver().free(segment.base));
}

DeviceMemory& Objects::devices_of(Rank& rank) {
  const std::lock_guard guard(devices_lock_);
  if (!own_devices_) {
    own_devices_ = std::make_unique<DeviceMemory>(rank);
    devices_.store(own_devices_.get(), std::memory_order_release);
  }
  return *own_devices_;
}

}  // namespace aqueduct::core
