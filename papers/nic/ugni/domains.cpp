// Communication domains: makes them, attaches them to the one device, and closes them with everything in
// them.
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

constexpr std::uint32_t kMostDomains = 256;
constexpr std::uint32_t kAnyDevice = ~0u;

bool both(std::uint32_t modes, std::uint32_t one, std::uint32_t other) {
  return (modes & one) != 0 && (modes & other) != 0;
}

}  // namespace

Domain* Process::nic_of(gni_nic_handle_t nic) {
  Domain* const domain = find_by_handle(domains_, HandleKind::kNic, self_, nic);
  return domain != nullptr && domain->attached ? domain : nullptr;
}

gni_return_t Process::is_nic(gni_nic_handle_t nic) {
  const Section section{*this};
  return nic_of(nic) != nullptr ? GNI_RC_SUCCESS : GNI_RC_INVALID_PARAM;
}

gni_return_t Process::create_domain(std::uint32_t inst_id, std::uint8_t ptag, std::uint32_t cookie,
                                    std::uint32_t modes, gni_cdm_handle_t* cdm) {
  if ((modes & ~std::uint32_t{GNI_CDM_MODE_MASK}) != 0 || ptag == 0) return GNI_RC_INVALID_PARAM;
  if (both(modes, GNI_CDM_MODE_FMA_DEDICATED, GNI_CDM_MODE_FMA_SHARED) ||
      both(modes, GNI_CDM_MODE_MDD_DEDICATED, GNI_CDM_MODE_MDD_SHARED) ||
      both(modes, GNI_CDM_MODE_ERR_NO_KILL, GNI_CDM_MODE_ERR_ALL_KILL))
    return GNI_RC_INVALID_PARAM;
  const Section section{*this};
  Domain* const domain = domains_.take(kMostDomains);
  if (domain == nullptr) return GNI_RC_ERROR_NOMEM;
  domain->attached = domain->has_fma_descriptor = domain->fenced = false;
  domain->smsg_delivery = GNI_DLVMODE_PERFORMANCE;
  domain->message_queue = nullptr;
  domain->rdma_unanswered = 0;
  domain->behind_fence.clear();
  domain->inst_id = inst_id;
  domain->ptag = ptag;
  domain->cookie = cookie;
  domain->modes = modes;
  *cdm = make_handle<gni_cdm_handle_t>(HandleKind::kDomain, self_, *domain);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::attach(gni_cdm_handle_t cdm, std::uint32_t device_id, std::uint32_t* address,
                             gni_nic_handle_t* nic) {
  const Section section{*this};
  Domain* const domain = find_by_handle(domains_, HandleKind::kDomain, self_, cdm);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  if (device_id != 0 && device_id != kAnyDevice) return GNI_RC_NO_MATCH;
  if (domain->attached) return GNI_RC_INVALID_STATE;
  if (!domain->has(GNI_CDM_MODE_FMA_SHARED)) {
    if (fma_descriptors_ >= limits_.fma_descriptors) return GNI_RC_ERROR_RESOURCE;
    ++fma_descriptors_;
    domain->has_fma_descriptor = true;
  }
  domain->attached = true;
  *address = self_;
  *nic = make_handle<gni_nic_handle_t>(HandleKind::kNic, self_, *domain);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::destroy_domain(gni_cdm_handle_t cdm) {
  for (;;) {
    const std::uint64_t seen = activity_.load(std::memory_order_acquire);
    {
      const Section section{*this};
      Domain* const domain = find_by_handle(domains_, HandleKind::kDomain, self_, cdm);
      if (domain == nullptr) return GNI_RC_INVALID_PARAM;
      domain->attached = false;
      if (!is_lent(*domain)) {
        close(*domain);
        return GNI_RC_SUCCESS;
      }
    }
    device_.wait(activity_, seen, kForever);
  }
}

/// Whether the network still uses memory on behalf of the domain.
bool Process::is_lent(const Domain& domain) {
  bool lent = lent_answers_ != 0;
  requests_.for_each_live(
      [&](const Request& each) { lent |= each.lent && each.endpoint->domain == &domain; });
  registrations_.for_each_live([&](Registration& each) {
    if (each.domain != &domain) return;
    each.closing = true;
    lent |= each.under_way != 0;
  });
  return lent;
}

void Process::close(Domain& domain) {
  requests_.for_each_live([&](Request& each) {
    if (each.endpoint->domain == &domain) requests_.give_back(each);
  });
  message_queues_.for_each_live([&](MessageQueue& each) {
    if (each.domain == &domain) close_message_queue(each);
  });
  endpoints_.for_each_live([&](Endpoint& each) {
    if (each.domain == &domain) close_endpoint(each);
  });
  registrations_.for_each_live([&](Registration& each) {
    if (each.domain == &domain) close_registration(each);
  });
  queues_.for_each_live([&](Queue& each) {
    if (each.domain == &domain) close_queue(each);
  });
  if (domain.has_fma_descriptor) --fma_descriptors_;
  domains_.give_back(domain);
}

gni_return_t Process::address(std::uint32_t device_id, std::uint32_t* address, std::uint32_t* cpu_id) {
  if (device_id != 0 && device_id != kAnyDevice) return GNI_RC_NO_MATCH;
  *address = self_;
  *cpu_id = 0;
  return GNI_RC_SUCCESS;
}

}  // namespace aqueduct::ugni
