#include "core/device_memory.hpp"

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "core/rank.hpp"
#include "core/segment.hpp"

namespace aqueduct::core {
namespace {

constexpr std::size_t kMostPinnedByDefault = std::size_t{8} << 30;

}  // namespace

DeviceMemory::DeviceMemory(Rank& rank) : rank_(rank) {
  const std::size_t most = env::bytes({"AQUEDUCT_DEVICE_PINNED"}).value_or(kMostPinnedByDefault);
  for (auto& windows : windows_) windows = std::make_unique<device::PinnedWindows>(most);
}

DeviceMemory::~DeviceMemory() = default;

device::Card* DeviceMemory::open(device::Family family, device::DeviceChoice choice, int* error,
                                 std::string* why) {
  const std::lock_guard guard(lock_);
  auto refuse = [&](int code) {
    *error = code;
    return nullptr;
  };
  device::Driver* const driver = device::driver(family, why);
  if (!driver) return refuse(GASNET_ERR_RESOURCE);
  int count = 0;
  if (const device::Outcome outcome = driver->count(&count); outcome.failed()) {
    *why = std::string(outcome.call) + ": " + driver->meaning(outcome.code);
    return refuse(GASNET_ERR_RESOURCE);
  }
  if (count == 0) {
    *why = std::string("the ") + driver->family_name() + " driver finds no device";
    return refuse(GASNET_ERR_RESOURCE);
  }
  if (!driver->find(&choice, why)) {
    *why = "rank " + std::to_string(rank_.id()) + ": " + *why;
    return refuse(GASNET_ERR_BAD_ARG);
  }
  if (const auto known = cards_.find({family, choice}); known != cards_.end()) {
    ++known->second.users;
    return known->second.card.get();
  }
  std::unique_ptr<device::Card> card =
      device::Card::open(family, *driver, choice, rank_.id(), *windows_[static_cast<unsigned>(family)], why);
  if (!card) return refuse(GASNET_ERR_RESOURCE);
  Opened& opened = cards_[{family, choice}];
  opened = {std::move(card), 1};
  return opened.card.get();
}

void DeviceMemory::close(device::Card& card) {
  std::unique_ptr<device::Card> last;
  const std::lock_guard guard(lock_);
  const auto found = cards_.find({card.family(), card.choice()});
  if (--found->second.users != 0) return;
  for (auto& [owner, segment] : remote_) {
    if (segment.card == &card) release(segment);
  }
  last = std::move(found->second.card);
  cards_.erase(found);
}

void DeviceMemory::add(const Segment& segment) {
  const std::lock_guard guard(lock_);
  own_[reinterpret_cast<std::uintptr_t>(segment.base)] = &segment;
}

void DeviceMemory::remove(const Segment& segment) {
  const std::lock_guard guard(lock_);
  const auto found = own_.find(reinterpret_cast<std::uintptr_t>(segment.base));
  if (found != own_.end() && found->second == &segment) own_.erase(found);
}

device::Card* DeviceMemory::card_of(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard guard(lock_);
  auto next = own_.upper_bound(at);
  if (next == own_.begin()) return nullptr;
  const auto& [base, segment] = *--next;
  return at - base < segment->size ? segment->card : nullptr;
}

void* DeviceMemory::network_of(const void* address, std::size_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard guard(lock_);
  auto next = own_.upper_bound(at);
  if (next == own_.begin()) return nullptr;
  const auto& [base, segment] = *--next;
  return at - base < segment->size && bytes <= segment->size - (at - base) ? segment->network : nullptr;
}

device::HostRange DeviceMemory::host_range(const void* address, std::size_t bytes) const {
  const Objects& objects = rank_.objects();
  const auto in = [&](void* base, std::size_t size) {
    const device::HostRange range{static_cast<std::byte*>(base), size};
    return range.contains(address, bytes) ? range : device::HostRange{};
  };
  if (!objects.attached) return {};
  return in(objects.segment.base, objects.segment.size);
}

void DeviceMemory::forget_host(const device::HostRange& range) {
  for_each_card([&](device::Card& card) {
    const device::Entered entered(card.driver(), card.context());
    if (!entered.outcome.failed())
      windows_[static_cast<unsigned>(card.family())]->forget(card.driver(), range);
  });
}

void DeviceMemory::take_note(gex_EP_Location_t owner, std::uintptr_t base, std::uintptr_t size,
                             const DevicePublication& publication) {
  const std::lock_guard guard(lock_);
  RemoteDeviceSegment& segment = remote_[owner];
  segment.base = base;
  segment.size = size;
  segment.published = publication;
}

bool DeviceMemory::is_remote_device(gex_EP_Location_t owner) const {
  const std::lock_guard guard(lock_);
  return remote_.contains(owner);
}

conduit::DeviceKey DeviceMemory::network_key(gex_EP_Location_t owner) const {
  const std::lock_guard guard(lock_);
  const auto found = remote_.find(owner);
  return found == remote_.end() ? conduit::DeviceKey{} : found->second.published.network;
}

// The one of the same device, else any of the family: the driver then copies from device to device.
device::Card* DeviceMemory::card_for(const RemoteDeviceSegment& segment) {
  device::Card* any = nullptr;
  for (const auto& [key, opened] : cards_) {
    if (key.first != segment.published.family) continue;
    any = opened.card.get();
    if (any->id() == segment.published.id) return any;
  }
  return any;
}

void* DeviceMemory::import(const device::Export& exported, device::Card& card, std::string* why) {
  device::Driver& driver = card.driver();
  const bool is_shared = exported.form == device::Export::Form::kHandle;
  if (is_shared) {
    if (const auto known = imports_.find(exported.handle); known != imports_.end()) {
      ++known->second.users;
      return known->second.base;
    }
  }
  const device::Entered entered(driver, card.context());
  void* base = nullptr;
  const device::Outcome outcome =
      entered.outcome.failed() ? entered.outcome : driver.import_memory(exported, card.ordinal(), &base);
  if (outcome.failed()) {
    *why = card.words(outcome);
    return nullptr;
  }
  if (is_shared) imports_[exported.handle] = {base, 1};
  return base;
}

void DeviceMemory::map(gex_EP_Location_t owner, RemoteDeviceSegment& segment) {
  using Mapping = RemoteDeviceSegment::Mapping;
  const device::Export& exported = segment.published.exported;
  device::Card* const card = card_for(segment);
  if (!card) return;  // one may still be opened
  segment.mapping = Mapping::kRefused;
  if (!rank_.is_neighbour(owner.gex_rank)) {
    segment.why_not = "rank " + std::to_string(owner.gex_rank) + " shares no memory with this one";
  } else if (exported.form == device::Export::Form::kNone) {
    segment.why_not = "its driver cannot export this memory";
  } else if (void* const base = import(exported, *card, &segment.why_not)) {
    segment.mapping = Mapping::kMapped;
    segment.import = base;
    segment.here = static_cast<std::byte*>(base) + exported.offset;
    segment.card = card;
  }
}

void DeviceMemory::release(RemoteDeviceSegment& segment) {
  if (segment.mapping != RemoteDeviceSegment::Mapping::kMapped) return;
  const device::Export& exported = segment.published.exported;
  device::Card& card = *segment.card;
  card.drain();
  segment.mapping = RemoteDeviceSegment::Mapping::kUntried;
  segment.here = nullptr;
  segment.card = nullptr;
  if (const auto known = imports_.find(exported.handle);
      exported.form == device::Export::Form::kHandle && known != imports_.end()) {
    if (--known->second.users != 0) return;
    imports_.erase(known);
  }
  const device::Entered entered(card.driver(), card.context());
  if (!entered.outcome.failed()) (void)card.driver().release_import(exported, segment.import);
}

DevicePlace DeviceMemory::reach(gex_EP_Location_t owner, const void* address) {
  const std::lock_guard guard(lock_);
  const auto found = remote_.find(owner);
  if (found == remote_.end()) return {};
  RemoteDeviceSegment& segment = found->second;
  if (segment.mapping == RemoteDeviceSegment::Mapping::kUntried) map(owner, segment);
  if (segment.mapping != RemoteDeviceSegment::Mapping::kMapped) return {};
  return {segment.card, segment.here + (reinterpret_cast<std::uintptr_t>(address) - segment.base)};
}

void DeviceMemory::release_dead(RankId rank) {
  const std::lock_guard guard(lock_);
  for (auto& [owner, segment] : remote_) {
    if (owner.gex_rank != rank) continue;
    release(segment);
    segment.mapping = RemoteDeviceSegment::Mapping::kRefused;
    segment.why_not = "rank " + std::to_string(rank) + " has died";
  }
}

std::vector<std::string> DeviceMemory::describe() const {
  std::vector<std::string> lines;
  const std::lock_guard guard(lock_);
  for (const auto& [owner, segment] : remote_) {
    std::string line = "endpoint " + std::to_string(owner.gex_ep_index) + " of rank " +
                       std::to_string(owner.gex_rank) + ": ";
    switch (segment.mapping) {
      case RemoteDeviceSegment::Mapping::kMapped:
        line += "mapped";
        break;
      case RemoteDeviceSegment::Mapping::kRefused:
        line += segment.published.network.is_there ? "by the network itself, because " : "staged, because ";
        line += segment.why_not;
        break;
      case RemoteDeviceSegment::Mapping::kUntried:
        line += "not used yet";
        break;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

DevicePublication device_publication_of(const Segment& segment) {
  DevicePublication publication;
  if (!segment.card) return publication;
  publication.is_device = true;
  publication.family = segment.card->family();
  publication.ordinal = segment.card->ordinal();
  publication.id = segment.card->id();
  publication.exported = segment.exported;
  publication.network = segment.network_key;
  return publication;
}

}  // namespace aqueduct::core
