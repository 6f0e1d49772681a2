#include "papers/conduit/portals/request_buffers.hpp"

#include <mutex>

#include "papers/conduit/portals/match_bits.hpp"

namespace aqueduct::conduit::portals {

class RequestBuffers::Buffer final : public AmEvents {
 public:
  bool taken(const ptl_event_t& event) override {
    if (event.type != PTL_EVENT_PUT_END) return true;
    readers.fetch_add(1, std::memory_order_relaxed);
    return may_begin(event);
  }
  bool may_begin(const ptl_event_t&) override {
    if (!owner->may_begin(*this)) return false;
    is_fresh = false;
    return true;
  }
  // UNLINK is the last event of a buffer; it drops the reader that stands for being linked.
  void happened(const ptl_event_t& event, ArrivedRequest& arrived) override {
    if (event.type == PTL_EVENT_PUT_END) owner->reader_.request_came(event, arrived);
    if (event.type == PTL_EVENT_PUT_END || event.type == PTL_EVENT_UNLINK) owner->drop_reader(*this);
  }

  RequestBuffers* owner = nullptr;
  std::byte* memory = nullptr;
  std::atomic<bool> is_fresh{true};     // none of its requests was handled since it was linked
  std::atomic<std::uint64_t> place{0};  // grows along the list
  // One for being linked, one for each request that is read or set aside.
  std::atomic<unsigned> readers{1};
};

RequestBuffers::RequestBuffers(Reader& reader, InterfaceClient& interface, ptl_handle_me_t overflow,
                               unsigned count, unsigned spares, std::size_t chunk_bytes, std::size_t chunks)
    : reader_(reader),
      interface_(interface),
      overflow_(overflow),
      count_(count),
      spares_(spares),
      chunk_bytes_(chunk_bytes),
      buffer_bytes_(chunks * chunk_bytes),
      memory_(static_cast<std::byte*>(::operator new (count* buffer_bytes_, std::align_val_t{kPage}))),
      buffers_(std::make_unique<Buffer[]>(count)) {
  for (unsigned i = 0; i < count_; ++i) {
    buffers_[i].owner = this;
    buffers_[i].memory = memory_.get() + i * buffer_bytes_;
    link(buffers_[i]);
  }
}

RequestBuffers::~RequestBuffers() = default;

void RequestBuffers::link(Buffer& buffer) {
  buffer.is_fresh = true;
  const std::lock_guard guard(linking_);  // so that places have the order of the list
  buffer.place.store(++links_, std::memory_order_release);
  ptl_handle_me_t entry;
  check(PtlMEInsert(overflow_, InterfaceClient::anybody(), static_cast<std::uint8_t>(Selector::kReqRb),
                    kIgnored, PTL_UNLINK, PTL_INS_BEFORE, &entry),
        "PtlMEInsert of a request buffer");
  ptl_md_t md =
      descriptor(buffer.memory, buffer_bytes_,
                 PTL_MD_OP_PUT | PTL_MD_MAX_SIZE | PTL_MD_FLAG_AUTO_UNLINK | PTL_MD_EVENT_AUTO_UNLINK_ENABLE,
                 buffer.mark(), interface_.am.handle());
  md.max_size = chunk_bytes_;
  ptl_handle_md_t handle;
  check(PtlMDAttach(entry, md, PTL_UNLINK, &handle), "PtlMDAttach of a request buffer");
}

bool RequestBuffers::may_begin(const Buffer& buffer) const {
  if (!buffer.is_fresh) return true;
  const std::uint64_t place = buffer.place.load(std::memory_order_acquire);
  unsigned in_front = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (buffers_[i].place.load(std::memory_order_acquire) < place) ++in_front;
  }
  return in_front < spares_;
}

void RequestBuffers::drop_reader(Buffer& buffer) {
  if (buffer.readers.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  buffer.readers.store(1, std::memory_order_relaxed);
  link(buffer);
}

}  // namespace aqueduct::conduit::portals
