// Puts and gets: those of this rank, and what it does for those of others.
//
// A small one is a message, whose answer is counted, not named: a rank serves what another one asks for in
// order, so an answer is of the oldest puts and of the oldest gets. While more of the same rank arrives, its
// answer grows: a stream of puts costs one message for each, and one back for many. Whoever waits for a
// single operation says so (TransferHead::is_alone) and is answered at once.
//
// The bytes of a large one go from memory to memory (bulk.hpp). A put that must give its source back at
// return is copied if it is not too large, and otherwise waited for. Either goes by one-sided calls where
// those are faster (window.hpp).
//
// `done` of an operation is called with the session held.
//
// Threads: any thread begins operations; the rest is for who polls.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "conduit/mpi/endpoint.hpp"
#include "conduit/mpi/heads.hpp"
#include "conduit/mpi/window.hpp"
#include "parts/operation_names.hpp"
#include "parts/parcels.hpp"
#include "parts/pool.hpp"
#include "parts/queue.hpp"

namespace aqueduct::conduit::mpi {

class Transfers final : public Rma {
 public:
  /// `serve`: takes what has arrived, runs no handlers, and returns how many things that were; called without
  /// the session, while a put waits that must give its source back at return.
  Transfers(Endpoint& endpoint, RankId ranks, std::function<unsigned()> serve);

  /// Puts and gets reach segments and nothing else. On all ranks; `hosts`: who talks through MPI.
  void open_window(std::span<const SegmentBounds> segments, const job::Layout& hosts) {
    window_.open(segments, endpoint_.rank, hosts);
  }
  void close() { window_.close(); }

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;

  // With the session.
  /// A message with one of their heads.
  void take(const Stream::Arrival& arrival);
  /// Sends the answer that has been growing.
  void finish_answer() {
    if (answer_.buffer) send_answer();
  }
  /// What a rank remembers of a peer that was heard of.
  static constexpr std::size_t peer_bytes() { return sizeof(Unanswered); }
  /// Completes what goes by one-sided calls; returns how many that were.
  unsigned advance() { return window_.is_idle() ? 0 : window_.finish(); }
  void count_resources(observe::ResourceCounts& counts) const {
    counts.holds("records of puts and gets", operations_.lent() + large_puts_.in_use());
    counts.holds("copies of large puts", copies_.lent());
    counts.holds("large puts of others", landings_.lent());
    counts.holds("answers that grow", answer_.buffer ? 1 : 0);
    counts.holds("one-sided calls", window_.under_way());
  }

 private:
  /// One of ours.
  struct Operation {
    Done done = nullptr;
    void* argument = nullptr;
    void* to = nullptr;  // of a get
    std::size_t bytes = 0;
    RankId target = 0;
    Operation* next = nullptr;

    void finish() const { done(argument); }
  };
  /// The bytes of a large put have left or not, and it has been answered or not: the last of the two ends it.
  struct LargePut : Operation {
    std::uint32_t name = 0;
    bool is_sent = false;
    bool is_answered = false;
    am::Unreleased* unreleased = nullptr;
    parts::Parcel* copy = nullptr;  // of its bytes
  };
  /// What awaits the answers of one rank, oldest first.
  struct Unanswered {
    parts::Queue<Operation> puts;
    parts::Queue<Operation> gets;
  };
  static constexpr RankId kBlock = 64;
  using Block = std::array<Unanswered, kBlock>;
  Unanswered& unanswered(RankId rank) {
    std::unique_ptr<Block>& block = unanswered_[rank / kBlock];
    if (!block) [[unlikely]]
      block = std::make_unique<Block>();
    return (*block)[rank % kBlock];
  }
  /// To one rank, being written.
  struct Answer {
    Stream::Buffer* buffer = nullptr;
    RankId peer = 0;
    AnswerHead head;
    std::size_t bytes = 0;
  };
  /// A large put of another rank, whose bytes are on their way.
  struct Landing {
    RankId peer = 0;
    std::uint32_t operation = 0;
    unsigned credits = 0;  // beside the one that the answer brings back
  };

  void send_head(RankId peer, TransferHead head, const void* payload, std::size_t payload_bytes);
  void serve(RankId peer, const TransferHead& head, std::span<const std::byte> bytes);
  void finish_oldest(const Stream::Arrival& arrival);
  void finish_large_put(RankId peer, const TransferHead& head);
  void has_left(LargePut& put);
  void has_landed(Landing& landing);
  void has_come(Operation& get);
  void retire(LargePut& put);
  std::byte* room_in_answer(RankId peer, std::size_t bytes);
  void send_answer();
  void wait_until_sent(std::uint32_t name);

  Endpoint& endpoint_;
  Window window_;
  std::function<unsigned()> serve_;
  std::vector<std::unique_ptr<Block>> unanswered_;
  parts::Pool<Operation> operations_;
  parts::Pool<Landing> landings_;
  parts::OperationNames<LargePut> large_puts_;
  parts::ParcelPool copies_;
  Answer answer_;
};

}  // namespace aqueduct::conduit::mpi
