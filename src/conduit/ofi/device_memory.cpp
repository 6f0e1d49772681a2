#include "conduit/ofi/device_memory.hpp"

#include <rdma/fi_errno.h>

#include "base/fatal.hpp"
#include "conduit/plugin/plugin.hpp"

namespace aqueduct::conduit::ofi {

std::string DeviceMemory::why_not_on(device::Family family, std::int32_t ordinal) {
  if (endpoint_.settings.devices == DevicePath::kDirect) return {};
  {
    const std::lock_guard guard(lock_);
    if (const auto known = tried_.find({family, ordinal}); known != tried_.end()) return known->second;
  }
  const std::string why = plugin::why_not_on_device("ofi", endpoint_.place, family, ordinal);
  const std::lock_guard guard(lock_);
  return tried_[{family, ordinal}] = why;
}

void* DeviceMemory::add(const DeviceRegion& region, DeviceKey* key, std::string* why_not) {
  const bool must = endpoint_.settings.devices == DevicePath::kDirect;
  if (!endpoint_.properties().device_memory)
    fatal("AQUEDUCT_OFI_DEVICES", "direct: %s", endpoint_.network.why_staged().c_str());
  *why_not = why_not_on(region.family, region.ordinal);
  if (!why_not->empty()) return nullptr;
  const std::lock_guard guard(endpoint_.lock);
  int error = 0;
  fid_mr* const registration = endpoint_.network.register_device_memory(region, &error);
  if (!registration) {
    *why_not = std::string("provider ") + endpoint_.network.provider_name() +
               " does not register a segment on a device: " + fi_strerror(error);
    if (must) fatal("AQUEDUCT_OFI_DEVICES", "direct: %s", why_not->c_str());
    return nullptr;
  }
  const auto base = reinterpret_cast<std::uint64_t>(region.base);
  *key = {.is_there = 1,
          .shift = endpoint_.properties().virtual_addresses ? 0 : -base,
          .key = fi_mr_key(registration)};
  return registration;
}

void DeviceMemory::remove(void* added) {
  const std::lock_guard guard(endpoint_.lock);
  endpoint_.network.close_registration(static_cast<fid_mr*>(added));
}

}  // namespace aqueduct::conduit::ofi
