// Creating, updating and removing memory descriptors. Validating memory may take long and is done without the
// lock, so everything is checked again afterwards.
#include <utility>

#include "papers/nic/portals3/interface.hpp"

namespace aqueduct::portals3 {
namespace {

constexpr unsigned kKnownOptions =
    PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE | PTL_MD_ACK_DISABLE |
    PTL_MD_IOVEC | PTL_MD_MAX_SIZE | PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE |
    PTL_MD_FLAG_AUTO_UNLINK | PTL_MD_EVENT_AUTO_UNLINK_ENABLE | PTL_MD_EVENT_SEND_FOR_GET;

/// The registration of a region; the destructor ends it unless it was kept.
class Registration {
 public:
  explicit Registration(Bridge& bridge) : bridge_(bridge) {}
  ~Registration() {
    if (held_) bridge_.invalidate(memory_);
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  int make(const Region& region) {
    if (region.bytes() == 0) return PTL_OK;
    const int code = bridge_.validate(region.pieces(), memory_);
    held_ = code == PTL_OK;
    return code;
  }
  /// Swaps it with the descriptor's registration.
  void exchange(Descriptor& descriptor) {
    std::swap(descriptor.memory, memory_);
    std::swap(descriptor.validated, held_);
  }

 private:
  Bridge& bridge_;
  MemoryKey memory_ = 0;
  bool held_ = false;
};

}  // namespace

bool Interface::queue_named(ptl_handle_eq_t eq, EventQueue*& queue) {
  queue = eq == PTL_EQ_NONE ? nullptr : find_queue(eq);
  return eq == PTL_EQ_NONE || queue != nullptr;
}

int Interface::attach_descriptor(ptl_handle_me_t me, const ptl_md_t& md, ptl_unlink_t unlink_op,
                                 ptl_handle_md_t* handle) {
  return create_descriptor(me, true, md, unlink_op, handle);
}

int Interface::bind_descriptor(ptl_handle_ni_t ni, const ptl_md_t& md, ptl_unlink_t unlink_op,
                               ptl_handle_md_t* handle) {
  return create_descriptor(ni, false, md, unlink_op, handle);
}

int Interface::may_create(ptl_handle_any_t place, bool attach, const ptl_md_t& md, MatchEntry*& entry,
                          EventQueue*& queue) {
  entry = nullptr;
  if (attach) {
    entry = find_entry(place);
    if (entry == nullptr) return PTL_ME_INVALID;
    if (entry->descriptor != nullptr) return PTL_ME_IN_USE;
  } else if (!is_mine(place)) {
    return PTL_NI_INVALID;
  }
  if (!queue_named(md.eq_handle, queue)) return PTL_EQ_INVALID;
  if ((md.options & ~kKnownOptions) != 0) return PTL_MD_ILLEGAL;
  return PTL_OK;
}

int Interface::create_descriptor(ptl_handle_any_t place, bool attach, const ptl_md_t& md,
                                 ptl_unlink_t unlink_op, ptl_handle_md_t* handle) {
  MatchEntry* entry = nullptr;
  EventQueue* queue = nullptr;
  Region region;
  Registration registration{bridge_};
  {
    Section section{*this, Context::kCall};
    if (const int code = may_create(place, attach, md, entry, queue); code != PTL_OK) return code;
    if (const int code = region.assign(md, limits_.max_md_iovecs); code != PTL_OK) return code;
  }
  if (const int code = registration.make(region); code != PTL_OK) return code;

  Section section{*this, Context::kCall};
  if (const int code = may_create(place, attach, md, entry, queue); code != PTL_OK) return code;
  Descriptor* descriptor = descriptors_.take(limits_.max_mds);
  if (descriptor == nullptr) return PTL_NO_SPACE;
  descriptor->begin(md, std::move(region), queue);
  descriptor->unlinks = unlink_op != PTL_RETAIN;
  descriptor->pending = 0;
  descriptor->memory = 0;
  descriptor->validated = false;
  registration.exchange(*descriptor);
  descriptor->entry = entry;
  if (entry != nullptr) entry->descriptor = descriptor;
  if (queue != nullptr) ++queue->descriptors;
  *handle = handle_of(HandleKind::kDescriptor, *descriptor);
  return PTL_OK;
}

int Interface::unlink_descriptor(ptl_handle_md_t handle) {
  Section section{*this, Context::kCall};
  Descriptor* descriptor = find_descriptor(handle);
  if (descriptor == nullptr) return PTL_MD_INVALID;
  if (descriptor->pending != 0) return PTL_MD_IN_USE;
  remove_descriptor(*descriptor, section);
  return PTL_OK;
}

void Interface::remove_descriptor(Descriptor& descriptor, Section& section) {
  if (descriptor.queue != nullptr) --descriptor.queue->descriptors;
  if (MatchEntry* entry = descriptor.entry) {
    entry->descriptor = nullptr;
    if (entry->unlinks) remove_entry(*entry);
  }
  if (std::exchange(descriptor.validated, false)) section.retire(descriptor.memory);
  descriptor.region = {};
  descriptor.queue = nullptr;
  descriptor.entry = nullptr;
  descriptors_.give_back(descriptor);
}

int Interface::may_update(ptl_handle_md_t handle, const ptl_md_t* new_md, ptl_handle_eq_t testq,
                          Descriptor*& descriptor, EventQueue*& queue) {
  descriptor = find_descriptor(handle);
  if (descriptor == nullptr) return PTL_MD_INVALID;
  EventQueue* tested = nullptr;
  if (!queue_named(testq, tested)) return PTL_EQ_INVALID;
  if (new_md == nullptr) return PTL_OK;
  if (!queue_named(new_md->eq_handle, queue)) return PTL_EQ_INVALID;
  if ((new_md->options & ~kKnownOptions) != 0) return PTL_MD_ILLEGAL;
  // Transfers in flight still use the old memory, so it cannot be replaced.
  const bool quiet = descriptor->pending == 0 && (tested == nullptr || tested->empty());
  return quiet ? PTL_OK : PTL_MD_NO_UPDATE;
}

int Interface::update_descriptor(ptl_handle_md_t handle, ptl_md_t* old_md, const ptl_md_t* new_md,
                                 ptl_handle_eq_t testq) {
  Descriptor* descriptor = nullptr;
  EventQueue* queue = nullptr;
  Region region;
  Registration registration{bridge_};
  // old_md and new_md may be one object.
  const ptl_md_t wanted = new_md != nullptr ? *new_md : ptl_md_t{};
  if (new_md != nullptr) new_md = &wanted;
  {
    Section section{*this, Context::kCall};
    const int code = may_update(handle, new_md, testq, descriptor, queue);
    if (descriptor != nullptr && old_md != nullptr) *old_md = descriptor->user;
    if (code != PTL_OK || descriptor == nullptr || new_md == nullptr) return code;
    if (const int illegal = region.assign(wanted, limits_.max_md_iovecs); illegal != PTL_OK) return illegal;
    if (region.same_as(descriptor->region)) {
      renew(*descriptor, wanted, std::move(region), queue);
      return PTL_OK;
    }
  }
  if (const int code = registration.make(region); code != PTL_OK) return code;

  Section section{*this, Context::kCall};
  const int code = may_update(handle, new_md, testq, descriptor, queue);
  if (descriptor != nullptr && old_md != nullptr) *old_md = descriptor->user;
  if (code != PTL_OK || descriptor == nullptr) return code;
  renew(*descriptor, wanted, std::move(region), queue);
  registration.exchange(*descriptor);
  return PTL_OK;
}

void Interface::renew(Descriptor& descriptor, const ptl_md_t& md, Region&& region, EventQueue* queue) {
  if (descriptor.queue != nullptr) --descriptor.queue->descriptors;
  if (queue != nullptr) ++queue->descriptors;
  descriptor.begin(md, std::move(region), queue);
}

}  // namespace aqueduct::portals3
