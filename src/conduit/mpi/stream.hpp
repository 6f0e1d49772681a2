// The small messages of a rank: all of them with one tag, from buffers of this object into buffers that are
// posted for whoever sends. In order between two ranks.
//
// Receives are matched in the order in which they were posted, so only the oldest one is ever looked at: one
// call of MPI for a poll, whatever arrives. As long as senders keep to their credits
// (parts/request_credits.hpp) and arrivals are taken, as many receives are posted as messages can come.
//
// Threads: whoever calls holds the session.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "conduit/mpi/session.hpp"

namespace aqueduct::conduit::mpi {

class Stream {
 public:
  struct Buffer {
    MPI_Request request = MPI_REQUEST_NULL;
    std::unique_ptr<std::byte[]> bytes;
  };
  struct Arrival {
    Buffer* buffer = nullptr;
    RankId source = 0;
    std::size_t size = 0;

    std::span<const std::byte> bytes() const { return {buffer->bytes.get(), size}; }
  };

  /// Buffers have `buffer_bytes` each. `receives` are kept posted, `sends` may be under way, of which
  /// `for_answers` are for what must get through.
  Stream(Session& session, std::size_t buffer_bytes, unsigned receives, unsigned sends, unsigned for_answers);

  /// A buffer to be filled and sent at once; null if there is none now.
  Buffer* room_to_send(bool is_answer);
  void send(Buffer* buffer, std::size_t bytes, RankId target);

  /// The next message; its buffer is the caller's until it is given back.
  bool receive(Arrival* arrival);
  void give_back(Buffer* buffer) {
    used_.push_back(buffer);
    if (used_.size() > receives_ / 2) post_used();
  }
  /// Posts what was used: when there is time.
  void post_used();
  /// Takes back what is posted; nothing is received any more.
  void cancel();

 private:
  void settle(unsigned most);

  Session& session_;
  std::size_t buffer_bytes_;
  unsigned receives_;
  unsigned for_answers_;
  std::vector<Buffer> buffers_;
  std::vector<Buffer*> free_;      // to send from
  std::deque<Buffer*> sending_;    // oldest first
  std::deque<Buffer*> receiving_;  // posted, oldest first
  std::vector<Buffer*> used_;      // received and handled
};

}  // namespace aqueduct::conduit::mpi
