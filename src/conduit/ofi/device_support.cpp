#include "conduit/ofi/device_support.hpp"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <sys/uio.h>

#include <array>
#include <cstring>

namespace aqueduct::conduit::ofi {
namespace {

struct Interface {
  fi_hmem_iface number;
  const char* name;
};
constexpr std::array kInterfaces = {Interface{FI_HMEM_CUDA, "CUDA"}, Interface{FI_HMEM_ROCR, "HIP"},
                                    Interface{FI_HMEM_ZE, "Level Zero"}};

// The same provider on the same domain, asked for memory of devices as well.
const fi_info* with_devices(const fi_info& chosen, const fi_info* list) {
  for (const fi_info* info = list; info; info = info->next) {
    if (std::strcmp(info->fabric_attr->prov_name, chosen.fabric_attr->prov_name) == 0 &&
        std::strcmp(info->domain_attr->name, chosen.domain_attr->name) == 0)
      return info;
  }
  return nullptr;
}

Info ask(const fi_info& chosen) {
  const Info hints(fi_allocinfo());
  if (!hints) return nullptr;
  hints->caps = FI_MSG | FI_RMA | FI_HMEM;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->fabric_attr->prov_name = ::strdup(chosen.fabric_attr->prov_name);  // freed with it
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
                                FI_MR_ENDPOINT | FI_MR_HMEM;
  fi_info* found = nullptr;
  const int result = fi_getinfo(chosen.fabric_attr->api_version, nullptr, nullptr, 0, hints.get(), &found);
  return Info(result == 0 ? found : nullptr);
}

// A library that was built without an interface says so whatever it is asked to register; others look at the
// memory, which is the host's here.
bool knows(fid_domain* domain, fi_hmem_iface interface) {
  alignas(4096) static std::array<std::byte, 4096> memory;
  const iovec part{memory.data(), memory.size()};
  fi_mr_attr attributes{};
  attributes.mr_iov = &part;
  attributes.iov_count = 1;
  attributes.access = FI_READ | FI_WRITE;
  attributes.requested_key = static_cast<std::uint64_t>(interface);
  attributes.iface = interface;
  fid_mr* registered = nullptr;
  const int result = fi_mr_regattr(domain, &attributes, 0, &registered);
  if (result == 0) fi_close(&registered->fid);
  return result != -FI_ENOSYS && result != -FI_EOPNOTSUPP;
}

std::string interfaces_of(const fi_info& info) {
  std::string known;
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  if (fi_fabric(info.fabric_attr, &fabric, nullptr) != 0) return known;
  if (fi_domain(fabric, const_cast<fi_info*>(&info), &domain, nullptr) == 0) {
    for (const Interface& each : kInterfaces) {
      if (knows(domain, each.number)) known += (known.empty() ? "" : ", ") + std::string(each.name);
    }
    fi_close(&domain->fid);
  }
  fi_close(&fabric->fid);
  return known;
}

}  // namespace

std::string why_devices_are_staged(const Provider& provider) {
  const Info list = ask(*provider.info);
  const fi_info* const info = with_devices(*provider.info, list.get());
  if (!info) return std::string("provider ") + provider.name() + " does not move it (FI_HMEM)";
  const std::string known = interfaces_of(*info);
  if (known.empty())
    return std::string("provider ") + provider.name() +
           " would move it (FI_HMEM), but this libfabric was built for no devices";
  return std::string("what provider ") + provider.name() + " offers for it (FI_HMEM for " + known +
         ") is not used by this version";
}

}  // namespace aqueduct::conduit::ofi
