// The small messages of a rank: all of them with one tag, from buffers of this object into buffers that are
// posted for whoever sends. In order between two ranks.
//
// Receives are persistent, and matched in the order in which they were started, so only the oldest one is
// ever looked at: one call of MPI for a poll, whatever arrives. More are posted than an MPI takes from its
// network at a time, and not more, so that their memory stays in the cache; what comes before a receive is
// posted again waits in MPI, and credits bound that (parts/request_credits.hpp).
//
// Sends are nonblocking. Most small ones are over when the call returns, which an MPI may say by the request
// that it answers (start.hpp): then the buffer is free again at once, without another call. One of more bytes
// is tested once when it has been sent, so that the next one goes from the same memory. Others are tested
// many at a time.
//
// Threads: whoever calls holds the session.
#pragma once
#include <deque>
#include <memory>

#include "conduit/mpi/session.hpp"

namespace aqueduct::conduit::mpi {

class Stream {
 public:
  struct Buffer {
    MPI_Request request = MPI_REQUEST_NULL;
    std::unique_ptr<std::byte[]> bytes;
    Buffer* next = nullptr;  // in the list that it is in
  };
  struct Arrival {
    Buffer* buffer = nullptr;
    RankId source = 0;
    std::size_t size = 0;

    std::span<const std::byte> bytes() const { return {buffer->bytes.get(), size}; }
    std::uint8_t mark() const { return static_cast<std::uint8_t>(buffer->bytes[0]); }
  };

  /// Buffers have `buffer_bytes` each. `receives` are kept posted. Requests may have `sends` under way.
  Stream(Session& session, std::size_t buffer_bytes, unsigned receives, unsigned sends);
  /// The memory of such receives, for however many peers.
  static constexpr std::size_t receive_bytes(std::size_t buffer_bytes, unsigned receives) {
    return (receives + kMostUsed) * buffer_bytes;
  }

  /// Whether a request may be sent now. Answers always may: what they answer bounds them.
  bool has_room() {
    if (under_way_ >= sends_) [[unlikely]]
      settle();
    return under_way_ < sends_;
  }
  /// Messages that MPI may still read, as it says now.
  unsigned under_way() {
    settle();
    return under_way_;
  }
  /// A buffer to be filled and sent.
  Buffer* take() {
    if (free_.is_empty()) [[unlikely]]
      add_to(free_);
    return free_.pop();
  }
  void send(Buffer* buffer, std::size_t bytes, RankId target);

  /// Whether another message has been written where receive() looks next: then a look costs little. A hint.
  bool has_more() const {
    const Buffer* const next = posted_.first();
    return next && *static_cast<const volatile std::byte*>(next->bytes.get()) != kNothing;
  }
  /// The next message; its buffer is the caller's until it is given back. Nothing: false, and MPI has had an
  /// opportunity to make progress.
  bool receive(Arrival* arrival);
  void give_back(Buffer* buffer) {
    used_.push(buffer);
    if (++used_count_ > kMostUsed) [[unlikely]]
      post_all_used();
  }
  /// Posts what was used: when there is time.
  void post_used() {
    if (used_count_ != 0) post_all_used();
  }
  /// Takes back what is posted; nothing is received any more.
  void cancel();

 private:
  /// First in, first out.
  class List {
   public:
    bool is_empty() const { return !first_; }
    Buffer* first() const { return first_; }
    void push(Buffer* buffer) {
      buffer->next = nullptr;
      (first_ ? last_->next : first_) = buffer;
      last_ = buffer;
    }
    /// To be popped next: its memory is warm.
    void push_front(Buffer* buffer) {
      buffer->next = first_;
      if (!first_) last_ = buffer;
      first_ = buffer;
    }
    Buffer* pop() {
      Buffer* const buffer = first_;
      first_ = buffer->next;
      return buffer;
    }

   private:
    Buffer* first_ = nullptr;
    Buffer* last_ = nullptr;
  };
  static constexpr std::byte kNothing{0};    // no message begins with it
  static constexpr unsigned kMostUsed = 24;  // receives that wait to be posted again
  void add_to(List& list);
  void post_all_used();
  void settle();
  static bool is_over(Buffer& send);

  Session& session_;
  std::size_t buffer_bytes_;
  unsigned sends_;
  unsigned under_way_ = 0;
  unsigned settle_at_;
  unsigned used_count_ = 0;
  MPI_Request over_at_return_;
  std::deque<Buffer> buffers_;
  List free_;     // to send from
  List sending_;  // oldest first
  List posted_;   // to receive, oldest first
  List used_;     // received and handled
};

}  // namespace aqueduct::conduit::mpi
