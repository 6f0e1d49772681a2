// shm: the fabric live between the processes of one host, through memory that they share.
//
// Each node has a Pair (pair.hpp) for every node that sends to it, itself included. Header and payloads of up
// to kBesideBytes are copied once by send() and once by accept(); larger ones follow in chunks when they have
// been accepted, moved by the progress() of both sides. No memory is allocated per message once the lists
// have grown to what is in flight.
//
// Progress happens in progress() alone; a thread that finds another inside returns at once. Whoever leaves
// work for another node rings that node's doorbell, so that its threads may sleep there. What comes in the
// moment in which one thread is on its way out of progress() and another is turned away waits for the next
// look: a sleep has a time-out.
//
// A node that dies is the business of the job layer, which ends the job; undeliverable() is never called, and
// a message to the dead is kRetry once its ring is full. Where a job goes on without it, forget() gives
// larger payloads for it back to the sender, and what is sent to it later is dropped.
//
// Memory: a node and a writer cost 16 KiB for short messages, up to 512 KiB more for payloads beside them and
// 256 KiB for larger ones, as far as they are used.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "base/spin_lock.hpp"
#include "fabric/shm/reader.hpp"
#include "fabric/shm/writer.hpp"

namespace aqueduct::fabric::shm {

class ShmPort final : public Port {
 public:
  /// `memory` is zeroed, shared by all nodes, of bytes_for(nodes), and outlives the port.
  ShmPort(std::byte* memory, NodeId self, NodeId nodes);

  static std::size_t bytes_for(NodeId nodes);

  Traits traits() const override;
  NodeId self() const override { return self_; }
  unsigned distance(NodeId node) const override { return node == self_ ? 0 : 1; }
  void set_client(PortClient& client) override { client_ = &client; }
  Post send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
            std::uint64_t cookie) override;
  void accept(std::uint64_t arrival, std::span<const Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie) override;
  void discard(std::uint64_t arrival) override;
  unsigned progress() override;
  void forget(NodeId node) override;
  Doorbell* doorbell(NodeId node) override { return &doorbells_[node]; }

 private:
  /// A larger payload that has been accepted and is on its way.
  struct Landing {
    NodeId source = 0;
    std::uint64_t left = 0;
    std::uint64_t cookie = 0;
    std::vector<Piece> pieces;
    PieceWalk walk;
  };

  Pair* pair(NodeId reader, NodeId writer) const;
  void free_slot(NodeId source, std::uint32_t slot);
  void await_payload(NodeId source, std::uint32_t slot, std::span<const Piece> where, std::size_t bytes,
                     std::uint64_t cookie);
  /// Tells `target` that there is something to look for: it reads the rings of those only that have ever
  /// sent.
  void introduce(NodeId target);
  /// Calls `visit(node)` for those in [first, end) that have sent something to this node.
  template <class Visit>
  void for_each_sender(NodeId first, NodeId end, const Visit& visit);
  unsigned take_messages(NodeId source);
  void take_chunks(NodeId source);
  unsigned advance_large();
  unsigned report();

  NodeId self_;
  NodeId nodes_;
  Doorbell* doorbells_;
  std::atomic<std::uint64_t>* senders_;
  Pair* pairs_;
  PortClient* client_ = nullptr;
  std::unique_ptr<Writer[]> writers_;  // indexed by target
  std::unique_ptr<Reader[]> readers_;  // indexed by source
  std::atomic<std::uint32_t> large_to_send_{0};

  SpinLock turn_;  // whose turn it is in progress()
  std::vector<std::uint64_t> to_report_;

  SpinLock lock_;  // of what follows
  std::vector<std::uint64_t> sent_;
  std::vector<std::uint64_t> landed_;
  std::deque<Landing> landings_;  // named by their index
  std::vector<std::uint32_t> free_landings_;
  std::atomic<std::uint32_t> unreported_{0};
  std::atomic<std::uint32_t> landing_count_{0};
};

}  // namespace aqueduct::fabric::shm
