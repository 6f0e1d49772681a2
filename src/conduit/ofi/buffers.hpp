// Buffers of one size that messages and small transfers leave from and arrive in, in one piece of memory that
// is registered where the provider asks for it. Not thread-safe.
#pragma once
#include <deque>
#include <memory>

#include "base/types.hpp"
#include "conduit/ofi/network.hpp"

namespace aqueduct::conduit::ofi {

/// A buffer, and the operation that uses it.
struct Buffer : Operation {
  std::byte* bytes = nullptr;
  fid_mr* registration = nullptr;
  Buffer* next = nullptr;    ///< of those that are free
  unsigned users = 0;        ///< of a receive buffer: messages in it that are being delivered
  bool is_finished = false;  ///< of a receive buffer: nothing more will come into it

  using Operation::Operation;
  LocalMemory part(std::size_t used) const { return {bytes, used, registration}; }
};

/// Ends the job with one line if memory for `what` cannot be registered: `error` is errno's value.
[[noreturn]] void refuse_registration(const char* what, std::size_t bytes, const Network& network, int error);

class BufferPool {
 public:
  BufferPool(Network& network, Operation::Kind kind, unsigned count, std::size_t buffer_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  std::size_t buffer_bytes() const { return buffer_bytes_; }
  unsigned free() const { return free_count_; }
  /// Null if that would leave fewer than `spare`. The one given back last is warm and goes first.
  Buffer* take(unsigned spare) {
    if (free_count_ <= spare) return nullptr;
    --free_count_;
    Buffer* const buffer = free_;
    free_ = buffer->next;
    return buffer;
  }
  void give_back(Buffer* buffer) {
    ++free_count_;
    buffer->next = free_;
    free_ = buffer;
  }

 private:
  struct Release {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{kPage}); }
  };

  Network& network_;
  std::size_t buffer_bytes_;
  std::unique_ptr<std::byte, Release> memory_;
  fid_mr* registration_ = nullptr;
  std::deque<Buffer> buffers_;
  Buffer* free_ = nullptr;
  unsigned free_count_ = 0;
};

}  // namespace aqueduct::conduit::ofi
