// What transfers of non-contiguous memory keep per rank and per thread.
#pragma once
#include <atomic>
#include <memory>
#include <variant>

#include "extended/extended.hpp"
#include "extended/vis/strided.hpp"

namespace aqueduct::extended::vis {

/// A get that is under way in messages: where its data goes. Given back when the last reply has come and the
/// call that started it has returned; until then each of them holds it.
struct GetRecord {
  std::variant<MemvecList, IndexedList, StridedRegion> local;
  Pending* pending = nullptr;  ///< counts the replies that are to come
  std::atomic<std::uint32_t> holders{0};
  ReturnPool<GetRecord>* home = nullptr;
  GetRecord* next_free = nullptr;

  void release() {
    if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1) ReturnPool<GetRecord>::give_back(this);
  }
};

/// What gex_VIS_SetPeerCompletionHandler has left for the next put of a thread.
struct PeerSignal {
  gex_AM_Index_t handler = 0;  ///< 0: nothing
  const void* payload = nullptr;
  std::size_t bytes = 0;
};

/// Per thread. Buffers are made on first use. The two are different because a thread that waits to send what
/// it has packed runs the requests of others meanwhile; those wait for nothing that could need a buffer
/// again.
class ThreadState final : public core::ThreadExtension {
 public:
  explicit ThreadState(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}

  std::byte* pack_buffer() { return buffer(pack_buffer_); }      ///< for starting a transfer
  std::byte* gather_buffer() { return buffer(gather_buffer_); }  ///< for answering one
  ReturnPool<GetRecord> records;
  PeerSignal signal;

 private:
  std::byte* buffer(std::unique_ptr<std::byte[]>& memory) {
    if (!memory) memory = std::make_unique_for_overwrite<std::byte[]>(buffer_bytes_);
    return memory.get();
  }
  std::size_t buffer_bytes_;
  std::unique_ptr<std::byte[]> pack_buffer_, gather_buffer_;
};

inline ThreadState& state(Thread& thread) {
  std::unique_ptr<core::ThreadExtension>& extension = ops(thread).vis;
  if (!extension) extension = std::make_unique<ThreadState>(thread.rank.limits().max_medium);
  return static_cast<ThreadState&>(*extension);
}

}  // namespace aqueduct::extended::vis
