// ReqRB: the buffers in which requests land, back to back.
//
// Each buffer is a match entry with a locally managed descriptor. It takes requests until less than a chunk
// is left, then unlinks itself, and the next buffer in the list takes over; behind all buffers stands the
// overflow entry. The UNLINK event is the last of a buffer: when it has been taken and nobody reads a request
// in the buffer any more, the buffer is linked again, in front of the overflow entry.
//
// An answered request has returned its credits, although its room is free only when its buffer is linked
// again. So credits never count the spare buffers. With n spares, requests of a buffer may be handled while
// fewer than n of the buffers before it in the list are not linked again (may_begin()): then at most n
// buffers hold room that is handled but not free, and a request never finds the list empty.
//
// A request that may not be handled yet is set aside, and counts as being read: its buffer's UNLINK event may
// be taken first, and must not link the buffer again.
//
// Threads: requests are taken one after another, under the lock of AM_EQ; any thread reads them.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "papers/conduit/portals/event_handlers.hpp"
#include "papers/conduit/portals/interface.hpp"

namespace aqueduct::conduit::portals {

class RequestBuffers {
 public:
  class Reader {
   public:
    /// Handles a request that lies in a buffer.
    virtual void request_came(const ptl_event_t& event, ArrivedRequest& arrived) = 0;

   protected:
    ~Reader() = default;
  };

  /// Links `count` buffers in front of `overflow`, the overflow entry. Each is the handler of its events.
  RequestBuffers(Reader& reader, InterfaceClient& interface, ptl_handle_me_t overflow, unsigned count,
                 unsigned spares, std::size_t chunk_bytes, std::size_t chunks);
  ~RequestBuffers();  // Buffer is complete there

 private:
  class Buffer;
  struct PageMemory {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{kPage}); }
  };

  void link(Buffer& buffer);
  /// Whether a request of this buffer may be handled now; if not, those before it must be handled first.
  bool may_begin(const Buffer& buffer) const;
  void drop_reader(Buffer& buffer);

  Reader& reader_;
  InterfaceClient& interface_;
  ptl_handle_me_t overflow_;
  unsigned count_;
  unsigned spares_;
  std::size_t chunk_bytes_;
  std::size_t buffer_bytes_;
  // One block for all buffers: untouched pages cost only address space, and the buffers are contiguous.
  std::unique_ptr<std::byte, PageMemory> memory_;
  std::unique_ptr<Buffer[]> buffers_;
  SpinLock linking_;
  std::uint64_t links_ = 0;
};

}  // namespace aqueduct::conduit::portals
