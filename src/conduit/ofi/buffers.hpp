// Buffers of one size that messages and small transfers leave from and arrive in, in one piece of memory that
// is registered where the provider asks for it.
//
// Threads: one at a time; the endpoint's lock.
#pragma once
#include <deque>
#include <memory>

#include "base/types.hpp"
#include "conduit/ofi/network.hpp"

namespace aqueduct::conduit::ofi {

class BufferPool;

/// A buffer, and the message that leaves from it or the receive that fills it.
struct Buffer : Operation {
  std::byte* bytes = nullptr;
  fid_mr* registration = nullptr;
  BufferPool* home = nullptr;
  Buffer* next = nullptr;    ///< of those that are free
  unsigned users = 0;        ///< of a receive buffer: messages in it that are being delivered
  bool is_finished = false;  ///< of a receive buffer: nothing more will come into it

  LocalMemory part(std::size_t used) const { return {bytes, used, registration}; }
  inline void give_back();
};

/// Ends the job with one line if memory for `what` cannot be registered: `error` is errno's value.
[[noreturn]] void refuse_registration(const char* what, std::size_t bytes, const Network& network, int error);

class BufferPool {
 public:
  BufferPool(Network& network, unsigned count, std::size_t buffer_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  std::size_t buffer_bytes() const { return buffer_bytes_; }
  unsigned free() const { return free_count_; }
  std::size_t taken() const { return buffers_.size() - free_count_; }
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

inline void Buffer::give_back() { home->give_back(this); }

/// What messages leave from, and what small puts, gets and atomics go through. Those of the messages leave
/// enough to each other: see kLargeForReplies and the others.
class SendBuffers final : private OperationHandler {
 public:
  // What is left of the buffers, small and large: by requests to replies, by transfers to messages.
  static constexpr unsigned kSmallForReplies = 64;
  static constexpr unsigned kSmallForMessages = 128;
  static constexpr unsigned kLargeForReplies = Settings::kMostPieces;
  static constexpr unsigned kLargeForMessages = 2 * Settings::kMostPieces - 1;

  SendBuffers(Network& network, const Settings& settings);

  /// Null if there is none, or others need the rest.
  enum class Use : std::uint8_t { kReply, kRequest, kTransfer };
  Buffer* take(std::size_t bytes, Use use) {
    const bool is_small = bytes <= small.buffer_bytes();
    if (use == Use::kReply) return (is_small ? small : large).take(0);
    const bool is_request = use == Use::kRequest;
    return is_small ? small.take(is_request ? kSmallForReplies : kSmallForMessages)
                    : large.take(is_request ? kLargeForReplies : kLargeForMessages);
  }
  /// For what transfers copy.
  Buffer* take_bounce(std::size_t bytes) { return take(bytes, Use::kTransfer); }
  /// Sends `count` bytes of it, and gives it back when they have left. kRetry: it is given back.
  Post send(RankId target, Buffer& buffer, std::size_t count);
  /// The same; kRetry: it stays the caller's.
  Post try_send(RankId target, Buffer& buffer, std::size_t count);
  /// Messages that have not left.
  unsigned under_way() const { return under_way_; }

  BufferPool small;
  BufferPool large;

 private:
  const char* what() const override { return "a message"; }
  void completed(Operation& operation, const Completion&) override { abandoned(operation); }
  void abandoned(Operation& operation) override;

  Network& network_;
  unsigned under_way_ = 0;
};

}  // namespace aqueduct::conduit::ofi
