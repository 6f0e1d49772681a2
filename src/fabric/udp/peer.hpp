// A peer that a port has exchanged datagrams with: its link, the lock that guards it, and what the link tells
// the port.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>

#include "fabric/udp/left_messages.hpp"
#include "fabric/udp/peer_lock.hpp"
#include "fabric/udp/port.hpp"

namespace aqueduct::fabric::udp {

struct UdpPort::Peer final : LinkOwner {
  Peer(UdpPort& of, NodeId node, std::size_t largest_datagram, std::uint32_t flight_room);

  ~Peer();

  /// Locks a peer, for a thread that has the port's turn or for another one. Whatever others leave meanwhile
  /// is sent before the lock is given back.
  class Hold {
   public:
    Hold(Peer& peer, bool has_turn) : peer_(peer) {
      peer_.lock.lock();
      peer_.has_turn = has_turn;
    }
    /// The lock is held already.
    Hold(Peer& peer, bool has_turn, std::adopt_lock_t) : peer_(peer) { peer_.has_turn = has_turn; }
    ~Hold() {
      if (!peer_.lock.unlock_unless_left()) [[unlikely]]
        peer_.port.give_way(peer_);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Peer& peer_;
  };

  // LinkOwner
  void message_came(Link& link, const MessageRecord& record) override;
  PlacedMemory memory_of(NodeId peer, const Place& place, std::uint64_t bytes) override {
    return port.places_.memory_of(peer, place, bytes);
  }
  bool exchange_received(BufferPool::Buffer& buffer) override {
    return port.is_alone_ && port.setup_.socket->exchange_received(port.taken_, buffer);
  }
  void message_placed(Link& link, ArrivingMessage& message) override;
  void abandoned(ArrivingMessage& message) override { port.buffers_.give_back(std::move(message.buffer)); }
  void landed(std::uint64_t cookie, Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
  void undeliverable(NodeId peer, std::uint64_t cookie, std::span<const std::byte> header) override;
  void lost(NodeId peer) override;
  void retried(NodeId peer, observe::Retry why) override {
    if (port.client_) port.client_->retried(peer, why);
  }
  void moved(const Piece& from, std::byte* to) override {
    if (unsent) unsent->moved(from, to);
  }
  std::vector<std::vector<std::byte>>& kept() override { return port.kept_; }
  BufferPool& buffers() override { return port.buffers_; }

  /// What the socket did not take, if there was no room for it.
  void keep_unsent(std::unique_ptr<SendBatch> batch);
  void forget_unsent();

  /// Made by whoever leaves something first; stays. Any thread.
  LeftMessages& left_messages();
  /// Null: nothing was ever left.
  LeftMessages* known_left() const { return left.load(std::memory_order_acquire); }

  /// With the lock: the link has had no room for what was left.
  bool has_refused() const {
    const LeftMessages* const messages = known_left();
    return messages && messages->has_refused();
  }

  // Threads that want the lock look at this line, while its holder works on those below.
  UdpPort& port;
  std::atomic<LeftMessages*> left{nullptr};
  Peer* next_woken = nullptr;
  PeerLock lock;  ///< of what follows
  alignas(kCacheLine) bool has_turn = false;
  bool is_active = false;  ///< in the port's list, or on its way there
  Counters counters;
  Link link;
  std::unique_ptr<SendBatch> unsent;

 private:
  void report(Report report);
  WaitingArrival& new_arrival();
};

}  // namespace aqueduct::fabric::udp
