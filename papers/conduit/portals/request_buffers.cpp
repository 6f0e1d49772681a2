#include "papers/conduit/portals/request_buffers.hpp"

#include <mutex>

#include "papers/conduit/portals/match_bits.hpp"

namespace aqueduct::conduit::portals {

class RequestBuffers::Buffer {
 public:
  std::byte* memory = nullptr;
  std::atomic<bool> is_fresh{true};     // nothing of it has been handled since it was linked
  std::atomic<std::uint64_t> place{0};  // grows along the list
  // One for being linked, one for each request that is read or put aside.
  std::atomic<unsigned> readers{1};
};

RequestBuffers::RequestBuffers(InterfaceClient& interface, ptl_handle_me_t overflow, unsigned count,
                               unsigned spares, std::size_t chunk_bytes, std::size_t chunks)
    : interface_(interface),
      overflow_(overflow),
      count_(count),
      spares_(spares),
      chunk_bytes_(chunk_bytes),
      buffer_bytes_(chunks * chunk_bytes),
      memory_(static_cast<std::byte*>(::operator new (count* buffer_bytes_, std::align_val_t{kPage}))),
      buffers_(std::make_unique<Buffer[]>(count)) {
  for (unsigned i = 0; i < count_; ++i) {
    buffers_[i].memory = memory_.get() + i * buffer_bytes_;
    link(buffers_[i]);
  }
}

RequestBuffers::~RequestBuffers() = default;

bool RequestBuffers::owns(const ptl_event_t& event) const {
  const auto* buffer = static_cast<const Buffer*>(event.md.user_ptr);
  return buffer >= buffers_.get() && buffer < buffers_.get() + count_;
}

void RequestBuffers::link(Buffer& buffer) {
  buffer.is_fresh = true;
  const std::lock_guard guard(linking_);  // places in the order of the list
  buffer.place.store(++links_, std::memory_order_release);
  ptl_handle_me_t entry;
  check(PtlMEInsert(overflow_, InterfaceClient::anybody(), static_cast<std::uint8_t>(Selector::kReqRb),
                    kIgnored, PTL_UNLINK, PTL_INS_BEFORE, &entry),
        "PtlMEInsert of a request buffer");
  ptl_md_t md =
      descriptor(buffer.memory, buffer_bytes_,
                 PTL_MD_OP_PUT | PTL_MD_MAX_SIZE | PTL_MD_FLAG_AUTO_UNLINK | PTL_MD_EVENT_AUTO_UNLINK_ENABLE,
                 &buffer, interface_.am.handle());
  md.max_size = chunk_bytes_;
  ptl_handle_md_t handle;
  check(PtlMDAttach(entry, md, PTL_UNLINK, &handle), "PtlMDAttach of a request buffer");
}

bool RequestBuffers::may_begin(const ptl_event_t& event) const {
  const auto& buffer = *static_cast<const Buffer*>(event.md.user_ptr);
  if (!buffer.is_fresh) return true;
  const std::uint64_t place = buffer.place.load(std::memory_order_acquire);
  unsigned in_front = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (buffers_[i].place.load(std::memory_order_acquire) < place) ++in_front;
  }
  return in_front < spares_;
}

RequestBuffers::Buffer& RequestBuffers::begin_read(const ptl_event_t& event) {
  hold(event);
  return begin_held(event);
}

void RequestBuffers::hold(const ptl_event_t& event) {
  static_cast<Buffer*>(event.md.user_ptr)->readers.fetch_add(1, std::memory_order_relaxed);
}

RequestBuffers::Buffer& RequestBuffers::begin_held(const ptl_event_t& event) {
  auto& buffer = *static_cast<Buffer*>(event.md.user_ptr);
  buffer.is_fresh = false;
  return buffer;
}

void RequestBuffers::end_read(Buffer& buffer) { drop_reader(buffer); }

void RequestBuffers::unlinked(const ptl_event_t& event) {
  drop_reader(*static_cast<Buffer*>(event.md.user_ptr));
}

void RequestBuffers::drop_reader(Buffer& buffer) {
  if (buffer.readers.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  buffer.readers.store(1, std::memory_order_relaxed);
  link(buffer);
}

}  // namespace aqueduct::conduit::portals
