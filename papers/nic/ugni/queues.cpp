// Completion queues: rings of entries that report an overrun once.
#include <algorithm>
#include <new>

#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

constexpr std::uint32_t kMostQueues = 4096;
constexpr std::uint32_t kMostEntries = 1u << 24;
constexpr std::uint32_t kFirstEntries = 256;
constexpr gni_cq_mode_t kKnownModes = GNI_CQ_BLOCKING | GNI_CQ_PHYS_PAGES | GNI_CQ_UNMANAGED;

// Makes room for one more entry; false if the queue is full.
bool make_room(Queue& queue) {
  const std::size_t size = queue.ring.size();
  if (queue.count < size) return true;
  if (queue.count == queue.entries) return false;
  try {
    queue.ring.resize(std::min<std::size_t>(queue.entries, 2 * size));
  } catch (const std::bad_alloc&) {
    return false;
  }
  // Moves entries that had wrapped around to the end.
  std::rotate(queue.ring.begin(), queue.ring.begin() + queue.first,
              queue.ring.begin() + static_cast<std::ptrdiff_t>(size));
  queue.first = 0;
  return true;
}

}  // namespace

gni_cq_entry_t make_entry(std::uint64_t data, std::uint64_t type, std::uint64_t source,
                          std::uint64_t status) {
  gni_cq_entry_t entry = std::uint64_t{1} << 63;
  aq_gni_set_field_(&entry, 0, AQ_GNI_DATA_BITS_, data);
  aq_gni_set_field_(&entry, 48, 2, type);
  aq_gni_set_field_(&entry, 50, 3, source);
  aq_gni_set_field_(&entry, 53, 5, status);
  return entry;
}

gni_return_t Process::create_queue(gni_nic_handle_t nic, std::uint32_t entries, gni_cq_mode_t mode,
                                   gni_cq_handle_t* cq) {
  if (entries == 0 || entries > kMostEntries || (mode & ~kKnownModes) != 0) return GNI_RC_INVALID_PARAM;
  const Section section{*this};
  Domain* const domain = nic_of(nic);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  Queue* const queue = queues_.take(kMostQueues);
  if (queue == nullptr) return GNI_RC_ERROR_RESOURCE;
  try {
    queue->ring.assign(std::min(entries, kFirstEntries), 0);
  } catch (const std::bad_alloc&) {
    queues_.give_back(*queue);
    return GNI_RC_ERROR_NOMEM;
  }
  queue->domain = domain;
  queue->mode = mode;
  queue->entries = entries;
  queue->use = Queue::Use::kNone;
  queue->users = queue->requests = queue->first = queue->count = 0;
  queue->overrun = false;
  *cq = make_handle<gni_cq_handle_t>(HandleKind::kQueue, self_, *queue);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::destroy_queue(gni_cq_handle_t cq) {
  const Section section{*this};
  Queue* const queue = queue_of(cq);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  if (queue->users != 0 || queue->requests != 0) return GNI_RC_ERROR_RESOURCE;
  close_queue(*queue);
  return GNI_RC_SUCCESS;
}

void Process::close_queue(Queue& queue) {
  std::vector<gni_cq_entry_t>().swap(queue.ring);
  queues_.give_back(queue);
}

bool Process::push_event(Queue& queue, gni_cq_entry_t entry) {
  if ((queue.mode & GNI_CQ_UNMANAGED) != 0) return true;
  const EventFault fault = device_.event_fault();
  changed();
  if (fault == EventFault::kQueueFull || !make_room(queue)) {
    queue.overrun = true;
    return false;
  }
  if (fault == EventFault::kFailure && queue.use == Queue::Use::kSource)
    aq_gni_set_field_(&entry, 53, 5, AQ_GNI_STATUS_BROKEN_OFF);
  queue.ring[(queue.first + queue.count++) % queue.ring.size()] = entry;
  return true;
}

gni_return_t Process::take_event(gni_cq_handle_t cq, gni_cq_entry_t* entry) {
  const Section section{*this};
  Queue* const queue = queue_of(cq);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  if (queue->overrun) {
    queue->overrun = false;
    *entry = make_entry(0, GNI_CQ_EVENT_TYPE_POST, AQ_GNI_SOURCE_CQ, 0);
    aq_gni_set_field_(entry, 58, 1, 1);
    return GNI_RC_ERROR_RESOURCE;
  }
  if (queue->count == 0) return GNI_RC_NOT_DONE;
  *entry = queue->ring[queue->first];
  queue->first = (queue->first + 1) % static_cast<std::uint32_t>(queue->ring.size());
  --queue->count;
  return GNI_CQ_STATUS_OK(*entry) ? GNI_RC_SUCCESS : GNI_RC_TRANSACTION_ERROR;
}

gni_return_t Process::test_event(gni_cq_handle_t cq) {
  const Section section{*this};
  const Queue* const queue = queue_of(cq);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  return queue->count != 0 || queue->overrun ? GNI_RC_SUCCESS : GNI_RC_NOT_DONE;
}

bool Process::is_blocking(gni_cq_handle_t cq) {
  const Section section{*this};
  const Queue* const queue = queue_of(cq);
  return queue != nullptr && (queue->mode & GNI_CQ_BLOCKING) != 0;
}

gni_return_t Process::completed(gni_cq_handle_t cq, gni_cq_entry_t entry,
                                gni_post_descriptor_t** descriptor) {
  const Section section{*this};
  *descriptor = nullptr;
  const Queue* const queue = queue_of(cq);
  if (queue == nullptr || queue->use != Queue::Use::kSource) return GNI_RC_INVALID_PARAM;
  if (entry >> 63 == 0 || GNI_CQ_GET_TYPE(entry) != GNI_CQ_EVENT_TYPE_POST) return GNI_RC_INVALID_PARAM;
  const std::uint64_t tid = GNI_CQ_GET_TID(entry);
  Request* const request = requests_.find(tid & kMaxRequestIndex, tid >> 16);
  if (request == nullptr || request->queue != queue || request->posted == 0) return GNI_RC_DESCRIPTOR_ERROR;
  const gni_return_t code = GNI_CQ_STATUS_OK(entry) ? GNI_RC_SUCCESS : GNI_RC_TRANSACTION_ERROR;
  request->descriptor->status = code;
  request->descriptor->cq_mode_complete = request->which[0];
  *descriptor = request->descriptor;
  request->which[0] = request->which[1];
  --request->posted;
  release_if_over(*request);
  return code;
}

}  // namespace aqueduct::ugni
