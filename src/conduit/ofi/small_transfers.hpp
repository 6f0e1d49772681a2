// Small puts and gets as messages: for providers over sockets, where a write or a read of its own costs a
// message there and one back as well, and each message a system call. Here a stream of them costs one message
// there and one back for many, and the target sees what arrives, so that it does not go to sleep meanwhile.
//
//   put     address, bytes                        the target copies them into its segment
//   get     address                               and how many bytes
//   answer  of so many puts and so many gets      with the bytes of those gets, in order
//
// A rank serves another one's in order and messages between two ranks stay in order, so an answer names
// nothing: it is of the oldest. What one poll has taken from a peer is answered at the end of that poll, by
// one message, or by more if gets fill it. The source of a put is free at return.
//
// An operation that finds fewer than kUnheld under way to its target goes by the provider, which answers a
// single one sooner. Others, the rest of a stream, are held and leave together: when kMostBatch bytes have
// come together, or when any thread polls, which whoever waits for them does. So a client that computes in
// between has at most that much left to send, later by one round trip, and has not spent a system call on
// each.
//
// Flow control: at most kMostOutstanding operations are under way to a peer. What arrives is served at once;
// a rank keeps only what it has to answer.
//
// Threads: one at a time; the endpoint's lock.
#pragma once
#include <span>
#include <vector>

#include "base/peer_map.hpp"
#include "conduit/ofi/endpoint.hpp"
#include "conduit/ofi/prefix.hpp"
#include "parts/pool.hpp"
#include "parts/queue.hpp"

namespace aqueduct::conduit::ofi {

class Messages;

class SmallTransfers {
 public:
  static constexpr std::size_t kMostBytes = 4096;  // of one
  static constexpr unsigned kUnheld = 4;
  static constexpr std::size_t kMostBatch = 16384;
  static constexpr unsigned kMostOutstanding = 1024;
  using Done = Rma::Done;

  SmallTransfers(Endpoint& endpoint, Messages& messages);

  /// Whether one of so many bytes should be given to put() or get() now.
  bool takes(RankId target, std::size_t bytes) {
    if (!is_used_ || bytes > kMostBytes) return false;
    const Peer& peer = peers_.at(target);
    return peer.outstanding + peer.by_provider >= kUnheld;
  }
  /// kRetry: nothing has begun.
  Post put(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* argument);
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* argument);

  /// One of any size is under way to `target` by the provider, or is not any more.
  void count_by_provider(RankId target, int change) {
    if (is_used_) peers_.at(target).by_provider += static_cast<unsigned>(change);
  }

  /// Sends what is held, as far as there is room.
  void send_held() {
    if (!holding_.empty()) [[unlikely]]
      send_all_held();
  }
  /// A message whose first prefix says that it is of these: one operation or answer behind the other.
  void take(std::span<const std::byte> message);
  /// Answers what has come, as far as there is room.
  void answer();
  bool has_unsent() const { return !holding_.empty() || !due_.empty(); }
  /// Of a peer that this rank has talked with.
  static constexpr std::size_t peer_bytes() { return sizeof(Peer); }

 private:
  /// A put or get: one of ours that awaits its answer, or a get of a peer's that we have to answer.
  struct One {
    Done done = nullptr;
    void* argument = nullptr;
    std::byte* memory = nullptr;  // here, of a get
    std::size_t bytes = 0;
    One* next = nullptr;
  };
  struct Peer {
    parts::Queue<One> puts, gets;  // ours
    std::uint32_t outstanding = 0;
    std::uint32_t by_provider = 0;
    Buffer* held = nullptr;  // of ours, not sent yet
    std::uint32_t held_bytes = 0;
    std::uint32_t served_puts = 0;  // of the peer's
    parts::Queue<One> wanted;       // by the peer's gets
    bool is_due = false;            // it is among due_
  };

  Post begin(RankId target, std::uint16_t kind, const void* there, const void* payload, const One& what);
  std::byte* room_to_hold(RankId target, Peer& peer, std::size_t bytes);
  Post send_held(RankId target, Peer& peer);
  void send_all_held();
  std::size_t serve(const Prefix& prefix, std::span<const std::byte> rest);
  std::size_t finish(const Prefix& prefix, std::span<const std::byte> rest);
  void finish_oldest(parts::Queue<One>& queue, Peer& peer);
  Post answer(RankId rank, Peer& peer);

  Endpoint& endpoint_;
  Messages& messages_;
  const bool is_used_;
  PeerMap<Peer> peers_;
  parts::Pool<One> all_;
  std::vector<RankId> holding_, still_holding_;  // peers for whom something is held
  std::vector<RankId> due_, still_due_;          // peers that have an answer to get
};

}  // namespace aqueduct::conduit::ofi
