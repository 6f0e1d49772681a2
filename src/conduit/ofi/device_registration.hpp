// Registration of memory on a device, as libfabric wants it.
#pragma once
#include <rdma/fi_domain.h>

#include "conduit/device_transfers.hpp"

namespace aqueduct::conduit::ofi {

/// For this process and for peers. Answers as fi_mr_regattr().
inline int register_on_device(fid_domain& domain, const DeviceRegion& region, std::uint64_t key,
                              fid_mr** registration) {
  const iovec memory{region.base, region.bytes};
  fi_mr_attr attributes{};
  attributes.mr_iov = &memory;
  attributes.iov_count = 1;
  attributes.access = FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  attributes.requested_key = key;
  switch (region.family) {
    case device::Family::kCuda:
      attributes.iface = FI_HMEM_CUDA;
      attributes.device.cuda = region.ordinal;
      break;
    case device::Family::kHip:
      attributes.iface = FI_HMEM_ROCR;
      break;
    case device::Family::kZe:
      attributes.iface = FI_HMEM_ZE;
      attributes.device.ze = region.ordinal;
      break;
  }
  return fi_mr_regattr(&domain, &attributes, 0, registration);
}

}  // namespace aqueduct::conduit::ofi
