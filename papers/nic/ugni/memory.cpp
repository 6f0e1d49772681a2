// Registered memory, and the values of its handles:
//
//   qword1  the address
//   qword2  63..56 a mark | 55..32 process | 31..16 generation | 15..0 index
//
// A handle is valid only in the process that made it, and only while the registration lasts.
#include <sys/mman.h>

#include <cerrno>

#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

constexpr std::uint64_t kMemoryMark = 0xa5;
constexpr std::uint32_t kNodeMask = (1u << 24) - 1;
constexpr std::uint32_t kKnownFlags = GNI_MEM_READ_ONLY | GNI_MEM_USE_GART | GNI_MEM_STRICT_PI_ORDERING |
                                      GNI_MEM_PI_FLUSH | GNI_MEM_RELAXED_PI_ORDERING | GNI_MEM_MDD_SHARED |
                                      GNI_MEM_MDD_DEDICATED;

/// Whether there is memory at the first and the last byte.
bool is_mapped(const gni_mem_segment_t& segment) {
  constexpr std::uint64_t kPage = 4096;
  for (const std::uint64_t address : {segment.address, segment.address + segment.length - 1}) {
    unsigned char residency;
    void* const page = reinterpret_cast<void*>(address & ~(kPage - 1));
    if (::mincore(page, 1, &residency) != 0 && errno == ENOMEM) return false;
  }
  return true;
}

bool is_plausible(const gni_mem_segment_t& segment) {
  return segment.length != 0 && segment.address + segment.length > segment.address && is_mapped(segment);
}

}  // namespace

gni_mem_handle_t Process::memory_handle(const Registration& registration) const {
  return {registration.segments.front().address,
          kMemoryMark << 56 | static_cast<std::uint64_t>(self_ & kNodeMask) << 32 |
              static_cast<std::uint64_t>(registration.generation & kRegistrationGenerationMask) << 16 |
              registration.index};
}

Registration* Process::registration_of(const gni_mem_handle_t& memory) {
  const std::uint64_t word = memory.qword2;
  if (word >> 32 != (kMemoryMark << 24 | (self_ & kNodeMask))) return nullptr;
  Registration* const found =
      registrations_.find(word & kMaxRegistrationIndex, word >> 16 & kRegistrationGenerationMask);
  if (found == nullptr || found->closing) return nullptr;
  return found->segments.front().address == memory.qword1 ? found : nullptr;
}

gni_return_t Process::register_memory(gni_nic_handle_t nic, std::vector<gni_mem_segment_t> segments,
                                      gni_cq_handle_t queue, std::uint32_t flags, gni_mem_handle_t* memory) {
  if (segments.empty() || (flags & ~kKnownFlags) != 0) return GNI_RC_INVALID_PARAM;
  for (const gni_mem_segment_t& segment : segments) {
    if (!is_plausible(segment)) return GNI_RC_INVALID_PARAM;
  }
  const Section section{*this};
  Domain* const domain = nic_of(nic);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  Queue* events = nullptr;
  if (queue != nullptr) {
    events = queue_of(queue);
    if (events == nullptr || events->domain != domain || !events->claim(Queue::Use::kTarget))
      return GNI_RC_INVALID_PARAM;
  }
  const bool dedicated = (flags & GNI_MEM_MDD_DEDICATED) != 0 ||
                         (domain->has(GNI_CDM_MODE_MDD_DEDICATED) && (flags & GNI_MEM_MDD_SHARED) == 0);
  std::uint32_t& used = dedicated ? dedicated_mdds_ : shared_mdds_;
  if (used >= (dedicated ? limits_.dedicated_mdds : limits_.shared_mdds) || device_.registration_fails())
    return GNI_RC_ERROR_RESOURCE;
  Registration* const registration = registrations_.take(kMaxRegistrationIndex);
  if (registration == nullptr) return GNI_RC_ERROR_RESOURCE;
  ++used;
  registration->domain = domain;
  registration->queue = events;
  registration->flags = flags;
  registration->dedicated = dedicated;
  registration->closing = false;
  registration->under_way = 0;
  registration->segments = std::move(segments);
  if (events != nullptr) ++events->users;
  *memory = memory_handle(*registration);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::deregister_memory(gni_nic_handle_t nic, const gni_mem_handle_t& memory) {
  Registration* closing = nullptr;
  for (;;) {
    const std::uint64_t seen = activity_.load(std::memory_order_acquire);
    {
      const Section section{*this};
      if (closing == nullptr) {
        const Domain* const domain = nic_of(nic);
        Registration* const found = registration_of(memory);
        if (domain == nullptr || found == nullptr || found->domain != domain) return GNI_RC_INVALID_PARAM;
        closing = found;
        closing->closing = true;
      }
      if (closing->under_way == 0) {
        close_registration(*closing);
        return GNI_RC_SUCCESS;
      }
    }
    device_.wait(activity_, seen, kForever);
  }
}

void Process::close_registration(Registration& registration) {
  if (registration.queue != nullptr) --registration.queue->users;
  --(registration.dedicated ? dedicated_mdds_ : shared_mdds_);
  registration.segments.clear();
  registrations_.give_back(registration);
}

void Process::unpin(Registration& registration) {
  if (--registration.under_way == 0 && registration.closing) changed();
}

}  // namespace aqueduct::ugni
