#include "papers/conduit/aries/nic.hpp"

#include "base/fatal.hpp"
#include "base/silence.hpp"
#include "papers/conduit/aries/notify.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::aries {
namespace {

constexpr std::uint32_t kCookie = 0x41514d00;
constexpr std::uint64_t kPatienceNs = 10'000'000'000;

const char* name_of(PostUse use) {
  switch (use) {
    case PostUse::kMessage:
      return "a message";
    case PostUse::kControl:
      return "a control message";
    case PostUse::kLongPayload:
      return "the payload of a long message";
    case PostUse::kProbe:
      return "a probe";
    default:
      return "a put or get";
  }
}

}  // namespace

Nic::Nic(RankId self, std::uint32_t most_arrivals, const AriesSettings& settings, Clock& clock)
    : self_(self), clock_(clock), descriptors_(settings.descriptors) {
  gni_return_t attached = attach(settings.domain_modes);
  if (attached == GNI_RC_ERROR_RESOURCE && settings.may_share_fma) {
    check(GNI_CdmDestroy(domain_), "GNI_CdmDestroy");
    attached = attach((settings.domain_modes & ~std::uint32_t{GNI_CDM_MODE_FMA_DEDICATED}) |
                      GNI_CDM_MODE_FMA_SHARED);
  }
  check(attached, "GNI_CdmAttach");
  check(
      GNI_CqCreate(nic_, 2 * (settings.descriptors + 1), 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &completions_),
      "GNI_CqCreate");
  check(GNI_CqCreate(nic_, most_arrivals, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &arrivals_), "GNI_CqCreate");
  for (auto descriptor = descriptors_.rbegin(); descriptor != descriptors_.rend(); ++descriptor)
    free_.push_back(&*descriptor);
}

gni_return_t Nic::attach(std::uint32_t modes) {
  check(GNI_CdmCreate(self_, GNI_FIND_ALLOC_PTAG, kCookie, modes, &domain_), "GNI_CdmCreate");
  return GNI_CdmAttach(domain_, static_cast<std::uint32_t>(-1), &address_, &nic_);
}

void Nic::set_immediate(std::byte* buffers) {
  for (PostDescriptor& descriptor : descriptors_) {
    descriptor.immediate = buffers;
    buffers += AriesSettings::kImmediateBytes;
  }
}

gni_ep_handle_t Nic::endpoint(RankId peer) {
  gni_ep_handle_t& endpoint = endpoints_.at(peer);
  if (!endpoint) {
    check(GNI_EpCreate(nic_, completions_, &endpoint), "GNI_EpCreate");
    check(GNI_EpBind(endpoint, addresses_[peer], peer), "GNI_EpBind");
  }
  return endpoint;
}

PostDescriptor* Nic::take(PostHandler& handler, RankId peer) {
  if (free_.empty()) return nullptr;
  PostDescriptor& descriptor = *free_.back();
  free_.pop_back();
  descriptor.post = {};
  descriptor.handler = &handler;
  descriptor.peer = peer;
  descriptor.owner = nullptr;
  descriptor.tells_of_landing = false;
  descriptor.is_taken = true;
  descriptor.is_lost = false;
  descriptor.held = {};
  descriptor.copy_to = nullptr;
  return &descriptor;
}

Post Nic::answer(gni_return_t code, const PostDescriptor& descriptor, const char* what) {
  if (code == GNI_RC_SUCCESS) return Post::kDone;
  if (code == GNI_RC_ERROR_RESOURCE) return Post::kRetry;
  fatal(kName, "%s for %s to rank %u is refused: %s", what, name_of(descriptor.handler->use), descriptor.peer,
        gni_err_str[code]);
}

Post Nic::post_fma(PostDescriptor& descriptor, const char* what) {
  descriptor.events = descriptor.post.cq_mode & GNI_CQMODE_DUAL_EVENTS;
  return answer(GNI_PostFma(endpoint(descriptor.peer), &descriptor.post), descriptor, what);
}

Post Nic::post_rdma(PostDescriptor& descriptor, const char* what) {
  descriptor.events = descriptor.post.cq_mode & GNI_CQMODE_DUAL_EVENTS;
  return answer(GNI_PostRdma(endpoint(descriptor.peer), &descriptor.post), descriptor, what);
}

Post Nic::post_cq_write(PostDescriptor& descriptor) {
  descriptor.events = descriptor.post.cq_mode & GNI_CQMODE_DUAL_EVENTS;
  return answer(GNI_PostCqWrite(endpoint(descriptor.peer), &descriptor.post), descriptor, "GNI_PostCqWrite");
}

Post Nic::post_telling(PostDescriptor& descriptor, bool by_fma, std::uint32_t data) {
  const gni_ep_handle_t to = endpoint(descriptor.peer);
  check(GNI_EpSetEventData(to, descriptor.peer, data), "GNI_EpSetEventData");
  const Post post = by_fma ? post_fma(descriptor, "GNI_PostFma") : post_rdma(descriptor, "GNI_PostRdma");
  check(GNI_EpSetEventData(to, descriptor.peer, self_), "GNI_EpSetEventData");
  return post;
}

unsigned Nic::take_completions(unsigned limit) {
  std::uint16_t event = 0;
  for (unsigned i = 0; i < limit; ++i) {
    PostDescriptor* const descriptor = next_completion(&event);
    if (!descriptor) return i;
    descriptor->handler->completed(*descriptor, event);
  }
  return limit;
}

PostDescriptor* Nic::next_completion(std::uint16_t* event) {
  if (lost_since_ns_ != 0 && clock_.now_ns() - lost_since_ns_ > kPatienceNs) end_for_lost_peer();
  for (;;) {
    gni_cq_entry_t entry;
    const gni_return_t code = GNI_CqGetEvent(completions_, &entry);
    if (code == GNI_RC_NOT_DONE) return nullptr;
    if (code == GNI_RC_ERROR_RESOURCE) fatal(kName, "the queue of completions was overrun");
    gni_post_descriptor_t* post = nullptr;
    const gni_return_t completed = GNI_GetCompleted(completions_, entry, &post);
    if (completed != GNI_RC_SUCCESS && completed != GNI_RC_TRANSACTION_ERROR)
      check(completed, "GNI_GetCompleted");
    auto& descriptor = *reinterpret_cast<PostDescriptor*>(post);
    static_assert(offsetof(PostDescriptor, post) == 0);
    if (completed == GNI_RC_TRANSACTION_ERROR) {
      if (descriptor.handler->use == PostUse::kProbe) {
        descriptor.is_lost = true;
        return &descriptor;
      }
      failed(descriptor, entry);
      continue;
    }
    *event = post->cq_mode_complete;
    descriptor.events = static_cast<std::uint16_t>(descriptor.events & ~*event);
    return &descriptor;
  }
}

// The owner of the post waits until the supervisor or this class ends the job. In a simulation only this
// class does.
void Nic::failed(const PostDescriptor& descriptor, gni_cq_entry_t entry) {
  char text[128] = "";
  GNI_CqErrorStr(entry, text, sizeof text);
  if (GNI_CQ_GET_STATUS(entry) != AQ_GNI_STATUS_PEER_LOST || world::is_simulated())
    fatal(kName, "%s to rank %u has failed: %s", name_of(descriptor.handler->use), descriptor.peer, text);
  if (lost_since_ns_ != 0) return;
  lost_since_ns_ = clock_.now_ns();
  lost_peer_ = descriptor.peer;
}

void Nic::end_for_lost_peer() const {
  Silence silence = world::current().silence(lost_peer_);
  if (silence.ns == 0) silence.ns = clock_.now_ns() - lost_since_ns_;
  fatal_silence(kName, lost_peer_, silence);
}

// False: the table is full.
bool Nic::register_memory(std::uintptr_t address, std::size_t bytes, gni_mem_handle_t* handle) {
  const std::uintptr_t begin = address & ~(kWord - 1);
  const gni_return_t code = GNI_MemRegister(nic_, begin, round_up(address + bytes, kWord) - begin, nullptr,
                                            GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1), handle);
  if (code == GNI_RC_ERROR_RESOURCE) return false;
  check(code, "GNI_MemRegister");
  return true;
}

void Nic::deregister_memory(gni_mem_handle_t& handle) {
  check(GNI_MemDeregister(nic_, &handle), "GNI_MemDeregister");
}

bool Nic::next_arrival(std::uint64_t* data) {
  gni_cq_entry_t entry;
  const gni_return_t code = GNI_CqGetEvent(arrivals_, &entry);
  if (code == GNI_RC_NOT_DONE) return false;
  if (code == GNI_RC_ERROR_RESOURCE)
    fatal(kName, "the queue of arrivals was overrun, and notices of messages are lost");
  check(code, "GNI_CqGetEvent");
  *data = GNI_CQ_GET_DATA(entry);
  return true;
}

}  // namespace aqueduct::conduit::aries
