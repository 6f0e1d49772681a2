// Put and get of memory on devices by the network itself: a native that a conduit may have
// (Conduit::device_transfers()). Without it, and wherever it does not reach, the library stages such
// transfers through memory of the host (extended/device/transfers.hpp).
//
// The core adds each segment on a device when it is made. A conduit may refuse one, and must unless it has
// seen right bytes come back from that device over its network: the first add() for a device may take
// seconds. The owner's DeviceKey is published with the endpoint of the segment; whoever has it names memory
// there by the owner's address. A side of a transfer lies in one segment that was added, or is the host's:
// of this rank anywhere, of the target in its attached segment. At least one side is a device's.
//
// Threads: as put() and get() of Rma.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "am/message.hpp"
#include "base/types.hpp"
#include "device/driver.hpp"

namespace aqueduct::conduit {

struct DeviceRegion {
  device::Family family{};
  std::int32_t ordinal = 0;
  void* base = nullptr;
  std::size_t bytes = 0;
};

/// What others need to reach a segment on a device. Plain bytes, sent between ranks.
struct DeviceKey {
  std::uint64_t is_there = 0;  ///< 0: the network does not reach it
  std::uint64_t shift = 0;     ///< the network's address is the owner's plus that
  std::uint64_t key = 0;
};

/// Memory here: in a segment that was added, or, where that is null, the host's.
struct DeviceLocal {
  void* address = nullptr;
  void* added = nullptr;
};

/// Memory of the target: in a segment with that key, or, where there is none, in its attached one.
struct DeviceRemote {
  void* address = nullptr;
  DeviceKey key;
};

class DeviceTransfers {
 public:
  using Done = void (*)(void* operation);
  /// What transfers name the segment by, with its key; null, with the reason, if the network is not to touch
  /// it.
  virtual void* add(const DeviceRegion& region, DeviceKey* key, std::string* why_not) = 0;
  /// No transfer uses it any more.
  virtual void remove(void* added) = 0;

  /// `unreleased` counts the source while it is read; null: it is free when the put is done.
  virtual am::Post put(RankId target, const DeviceRemote& to, const DeviceLocal& from, std::size_t bytes,
                       am::Unreleased* unreleased, Done done, void* operation) = 0;
  virtual am::Post get(RankId target, const DeviceLocal& to, const DeviceRemote& from, std::size_t bytes,
                       Done done, void* operation) = 0;

 protected:
  ~DeviceTransfers() = default;
};

}  // namespace aqueduct::conduit
