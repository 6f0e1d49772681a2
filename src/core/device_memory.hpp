// Memory of devices: what this process has opened, which of its segments lie there, and those of others.
//
// A rank has one of these from the first kind of device memory that it makes, or the first segment on a
// device that somebody publishes to it; before that Objects::devices() is null, and nobody asks any further.
//
// A segment of a neighbour is mapped when it is first used (reach()), if this process has a card of the same
// family open and the owner could export its memory; why not, if not, is kept for those who ask. What is
// mapped of a rank that has died is released when the client or the next transfer notices (release_dead()).
//
// Threads: any. Cards live from the first kind on them to the last; segments of a kind keep it.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "conduit/device_transfers.hpp"
#include "device/card.hpp"
#include "gasnetex.h"

namespace aqueduct::core {

struct Segment;
class Rank;

/// What a process tells others of a segment on a device.
struct DevicePublication {
  bool is_device = false;
  device::Family family{};
  std::int32_t ordinal = 0;
  device::DeviceId id{};
  device::Export exported;
  conduit::DeviceKey network;  ///< by which the conduit reaches it
};

/// A segment on a device of another process.
struct RemoteDeviceSegment {
  std::uintptr_t base = 0;
  std::uintptr_t size = 0;
  DevicePublication published;
  enum class Mapping : std::uint8_t { kUntried, kMapped, kRefused } mapping = Mapping::kUntried;
  std::byte* here = nullptr;     // where its first byte is mapped here
  void* import = nullptr;        // the allocation, as the driver gave it
  device::Card* card = nullptr;  // which has mapped it
  std::string why_not;
};

/// A place that this process's driver can copy from and to.
struct DevicePlace {
  device::Card* card = nullptr;  // null: it cannot
  std::byte* address = nullptr;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(Rank& rank);
  ~DeviceMemory();

  /// The card of a device, opened if it is not; one more user of it. Null with the reason.
  device::Card* open(device::Family family, device::DeviceChoice choice, int* error, std::string* why);
  /// One user less; what nobody uses is closed.
  void close(device::Card& card);
  /// Calls `visit(card)` for each that is open.
  template <class Visit>
  void for_each_card(Visit&& visit) {
    // Copied, since whoever is visited may come back here.
    std::array<device::Card*, kMostCards> all;
    std::size_t count = 0;
    {
      const std::lock_guard guard(lock_);
      for (const auto& [key, opened] : cards_) {
        if (count < all.size()) all[count++] = opened.card.get();
      }
    }
    for (std::size_t i = 0; i < count; ++i) visit(*all[i]);
  }

  /// Segments of this process.
  void add(const Segment& segment);
  void remove(const Segment& segment);
  /// The card of the segment that holds an address of this process; null if none does.
  device::Card* card_of(const void* address) const;
  /// What the conduit names the segment by that holds all of [address, address + bytes); null if none does,
  /// or the conduit does not know it.
  void* network_of(const void* address, std::size_t bytes) const;
  /// Host memory of a segment that holds [address, address + bytes), as it is mapped here; empty if none
  /// does.
  device::HostRange host_range(const void* address, std::size_t bytes) const;
  /// A range that is no segment any more, or none that this process maps.
  void forget_host(const device::HostRange& range);

  /// What has been published to this process.
  void take_note(gex_EP_Location_t owner, std::uintptr_t base, std::uintptr_t size,
                 const DevicePublication& publication);
  /// Whether a segment of another process lies on a device.
  bool is_remote_device(gex_EP_Location_t owner) const;
  /// By which the conduit reaches a segment of another process.
  conduit::DeviceKey network_key(gex_EP_Location_t owner) const;
  /// Where this process can copy from and to `address`, which lies in that segment; mapped if it was not.
  DevicePlace reach(gex_EP_Location_t owner, const void* address);
  /// Releases what is mapped of a rank that has died.
  void release_dead(RankId rank);

  /// One line for each segment on a device that is known here, and how it is reached; for reports.
  std::vector<std::string> describe() const;

 private:
  static constexpr std::size_t kMostCards = 64;
  struct Opened {
    std::unique_ptr<device::Card> card;
    unsigned users = 0;
  };
  struct Before {
    bool operator()(gex_EP_Location_t a, gex_EP_Location_t b) const {
      return a.gex_rank != b.gex_rank ? a.gex_rank < b.gex_rank : a.gex_ep_index < b.gex_ep_index;
    }
  };

  void map(gex_EP_Location_t owner, RemoteDeviceSegment& segment);
  device::Card* card_for(const RemoteDeviceSegment& segment);
  void* import(const device::Export& exported, device::Card& card, std::string* why);
  void release(RemoteDeviceSegment& segment);

  Rank& rank_;
  mutable SpinLock lock_;
  std::array<std::unique_ptr<device::PinnedWindows>, device::kFamilies> windows_;
  std::map<std::pair<device::Family, device::DeviceChoice>, Opened> cards_;
  std::map<std::uintptr_t, const Segment*> own_;  // by their first byte
  std::map<gex_EP_Location_t, RemoteDeviceSegment, Before> remote_;
  struct Import {
    void* base = nullptr;
    unsigned users = 0;
  };
  std::map<std::array<std::uint8_t, 64>, Import> imports_;  // allocations by their handles
};

/// What a segment on a device tells others.
DevicePublication device_publication_of(const Segment& segment);

}  // namespace aqueduct::core
