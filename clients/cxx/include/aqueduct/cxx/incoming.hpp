// A call that has arrived: where from, its bytes, and how to answer it.
#ifndef AQUEDUCT_CXX_INCOMING_HPP_
#define AQUEDUCT_CXX_INCOMING_HPP_

#include <memory>

#include "aqueduct/cxx/pack.hpp"
#include "aqueduct/cxx/protocol.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// A few hundred bytes on the stack, more from elsewhere, for a message that is being written.
class MessageBuffer {
 public:
  explicit MessageBuffer(std::size_t size) : size_(size) {
    if (size > sizeof small_) large_ = FramePool::allocate(size);
  }
  ~MessageBuffer() {
    if (large_) FramePool::release(large_, size_);
  }
  MessageBuffer(const MessageBuffer&) = delete;
  MessageBuffer& operator=(const MessageBuffer&) = delete;
  void* data() { return large_ ? large_ : small_; }

 private:
  alignas(16) std::byte small_[512];
  void* large_ = nullptr;
  std::size_t size_;
};

// The rank in the job that a message comes from.
inline rank_t source_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  return info.gex_srcrank;
}

class Incoming {
 public:
  enum class Memory { kBorrowed, kPooled, kSegment };

  Incoming(Context& at, gex_Token_t token, const Function& function, std::uint64_t slot, const void* payload,
           std::size_t size, Memory memory)
      : context(at),
        function(&function),
        payload(static_cast<const std::byte*>(payload)),
        size(size),
        slot_(slot),
        token_(token),
        memory_(memory) {
    if (address_of(payload) % 8) [[unlikely]] {
      keep();
    }
  }
  Incoming(Incoming&& other) noexcept
      : context(other.context),
        function(other.function),
        payload(other.payload),
        size(other.size),
        slot_(other.slot_),
        token_(other.token_),
        source_(other.source_),
        memory_(std::exchange(other.memory_, Memory::kBorrowed)) {}
  ~Incoming() {
    if (memory_ != Memory::kBorrowed) [[unlikely]] {
      free();
    }
  }

  // The rank in the job that has called.
  rank_t source() {
    if (source_ == GEX_RANK_INVALID) source_ = source_of(token_);
    return source_;
  }

  // The message outlives the handler: its bytes are copied, unless they are this rank's already. It will be
  // answered by a request.
  Incoming kept() {
    source();
    if (memory_ == Memory::kBorrowed) keep();
    Incoming later(std::move(*this));
    later.token_ = nullptr;
    return later;
  }

  template <class R>
  void answer(const R& value) {
    if constexpr (std::is_trivially_copyable_v<R> && sizeof(R) <= 8 && !Range<R> && !HasSerial<R>) {
      std::uint64_t word = 0;
      std::memcpy(&word, &value, sizeof value);
      small_answer(word);
    } else {
      writer count;
      count(value);
      const std::size_t bytes = count.size();
      if (bytes <= (token_ ? context.largest_reply : context.largest_request)) {
        MessageBuffer buffer(bytes);
        writer(buffer.data())(value);
        send(AnswerKind::kValue, buffer.data(), bytes);
      } else {
        void* const far = context.heap.allocate(bytes);
        if (!far) return fail("the answer is too large for the segment of the rank that was called");
        writer{far}(value);
        const std::uint64_t place[] = {address_of(far), bytes};
        send(AnswerKind::kFar, place, sizeof place);
      }
    }
  }
  void answer() { small_answer(0); }

  void fail(std::string_view what) {
    if (!slot_)
      fatal("a function that was sent by post() ended with an exception: %.*s", int(what.size()),
            what.data());
    send(AnswerKind::kError, what.data(), std::min(what.size(), std::size_t{500}));
  }

  std::uint64_t slot() const { return slot_; }

  Context& context;
  const Function* function;
  const std::byte* payload;
  std::size_t size;

 private:
  void keep() {
    void* const copy = FramePool::allocate(size);
    if (size) std::memcpy(copy, payload, size);
    payload = static_cast<const std::byte*>(copy);
    memory_ = Memory::kPooled;
  }
  void free() {
    void* const memory = const_cast<std::byte*>(payload);
    if (memory_ == Memory::kPooled) return FramePool::release(memory, size);
    context.heap.release(memory);
  }
  [[gnu::always_inline]] void small_answer(std::uint64_t word) {
    if (!slot_) return;
    if (token_) [[likely]] {
      gex_AM_ReplyShort4(token_, context.handlers[kSmallAnswer], 0, low(slot_), high(slot_), low(word),
                         high(word));
    } else {
      gex_AM_RequestShort4(context.world, source_, context.handlers[kSmallAnswer], 0, low(slot_), high(slot_),
                           low(word), high(word));
    }
  }
  void send(AnswerKind kind, const void* bytes, std::size_t count) {
    if (!slot_) return;
    const auto kind_word = static_cast<gex_AM_Arg_t>(kind);
    if (token_) {
      gex_AM_ReplyMedium3(token_, context.handlers[kAnswer], bytes, count, GEX_EVENT_NOW, 0, low(slot_),
                          high(slot_), kind_word);
    } else {
      gex_AM_RequestMedium3(context.world, source_, context.handlers[kAnswer], bytes, count, GEX_EVENT_NOW, 0,
                            low(slot_), high(slot_), kind_word);
    }
  }

  std::uint64_t slot_;
  gex_Token_t token_;
  rank_t source_ = GEX_RANK_INVALID;
  Memory memory_;
};

// A call that waits for its turn in the loop.
struct Deferred : Work {
  explicit Deferred(Incoming&& call) : incoming(std::move(call)) {}
  Incoming incoming;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
