// Put and get of memory on devices by the provider (FI_HMEM), where it was asked for that: registrations of
// segments on devices, and their keys. The transfers are those of rma.hpp.
//
// Before the first segment of a device is registered, another process has tried the provider on that device
// (device_trial.hpp). With AQUEDUCT_OFI_DEVICES=direct nobody tries, and what the provider refuses ends the
// job.
//
// Threads: any.
#pragma once
#include <map>

#include "conduit/device_transfers.hpp"
#include "conduit/ofi/rma.hpp"

namespace aqueduct::conduit::ofi {

class DeviceMemory final : public DeviceTransfers {
 public:
  DeviceMemory(Endpoint& endpoint, PutsAndGets& transfers) : endpoint_(endpoint), transfers_(transfers) {}

  void* add(const DeviceRegion& region, DeviceKey* key, std::string* why_not) override;
  void remove(void* added) override;
  Post put(RankId target, const DeviceRemote& to, const DeviceLocal& from, std::size_t bytes,
           am::Unreleased* unreleased, Done done, void* operation) override {
    return transfers_.put(target, to, from, bytes, unreleased, done, operation);
  }
  Post get(RankId target, const DeviceLocal& to, const DeviceRemote& from, std::size_t bytes, Done done,
           void* operation) override {
    return transfers_.get(target, to, from, bytes, done, operation);
  }

 private:
  std::string why_not_on(device::Family family, std::int32_t ordinal);

  Endpoint& endpoint_;
  PutsAndGets& transfers_;
  SpinLock lock_;  // of what follows
  std::map<std::pair<device::Family, std::int32_t>, std::string> tried_;
};

}  // namespace aqueduct::conduit::ofi
