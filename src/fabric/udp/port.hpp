// udp: the fabric between hosts, over datagrams. A port has one socket for all peers and a link (link.hpp)
// for each that it has exchanged datagrams with; of a silent one it knows the address alone (14 bytes). A
// link that is idle gives its buffers back; busy ones take them from the allocator, which all of them share.
//
// Nothing from outside is trusted. What is not of this job, plane and node, or not sealed with the job's key
// (without a seal: not from the sender's address), is counted and dropped, and so is what was there before. A
// link is made by the first datagram of ours or the first that is believed.
//
// Progress: progress() receives, reports, and sends what is due: acknowledgements, what was lost, probes. It
// should be called again at deadline_ns() even if nothing comes. Whoever calls it while the client computes
// keeps its peers from waiting. send() sends at once, unless the message waits for company (link.hpp) or is
// sent from within a report while there are others: what several reports send leaves together.
//
// An arrival's memory is that of the receive buffer during arrived(); a payload that came along is copied if
// the client has not answered by then.
//
// Failure: a peer that stays silent for LinkSettings::give_up_ns while something is on its way to it is
// lost().
//
// Threads: as fabric.hpp says. Threads that send to different peers have no lock in common.
//
//   who                    holds                                       and touches
//   send, accept, discard  the peer's lock, while it sends a lane's    its link; what is to be reported goes to
//                                                                      a list that others post to
//   a send that finds      that of what is left there, for a copy      a small message is left for whoever has
//   the peer's lock taken                                              the peer's lock, who sends it
//   progress()             the turn; the list of active links for a    the receiving side of the socket, what
//                          walk; the lock of one peer at a time, and   is to be reported, arrivals, all links
//                          while it sends a lane's                     one after the other
//   a report               the turn, and no lock                       the client
//   accept, discard in a   the turn; a lock only where a payload is    the arrival. Of all arrivals that a peer's
//   report                 still to come                               reports have answered the link hears at once
//
// A thread that finds another one in progress() returns at once. Locks are taken in the order turn, list,
// peer, lane; those of queues, buffers, places and what is left are held for moments, inside any of them, and
// take no other. Nobody waits for the turn, and nobody waits for a lock while it has a later one: so there is
// no cycle.
//
// Why it is enough: all of a link is guarded by its peer's lock, from what a datagram says to the last byte
// that the kernel has copied of its answer; so memory of the client is read and written only while the link
// knows that it is lent. Arrivals and reports belong to whoever has the turn, which one thread after the
// other has (the exchange that takes it and the store that gives it back order them); an arrival that is not
// answered when its report returns belongs to whoever answers it, with its peer's lock. What a peer is sent
// is numbered, built and handed to the kernel under one lock, so that order in the stream is that of send().
// Hints (is_dirty_, holds_back_, has_sent_, the deadline) are set after what they tell of, under the peer's
// lock, and cleared before a walk that takes that lock: a walk sees what was told before, and what is told
// later is left for the next one.
//
// Many threads that send to one peer would wait for each other's system calls. So a small message is copied
// and left where the lock is taken (left_messages.hpp), and its sender is through. Whoever has the lock sends
// what was left before it gives the lock back, and peer_lock.hpp says why none is overlooked. They are taken
// in the order in which they were left, and before anything that their holder sends itself: a thread whose
// message was left before it went on, and all that hear of that, send later messages. Where the link has no
// room for one, it and those behind it stay, and send() answers kRetry until room has come.
//
// Where the socket has no room, a peer keeps what was built for it, and no other peer builds anything until
// that is sent: so no more batches are kept than threads have sent at the same time.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/spin_lock.hpp"
#include "fabric/udp/counters.hpp"
#include "fabric/udp/datagram_socket.hpp"
#include "fabric/udp/deadline.hpp"
#include "fabric/udp/link.hpp"
#include "fabric/udp/peer_table.hpp"
#include "fabric/udp/place_table.hpp"
#include "fabric/udp/reports.hpp"
#include "fabric/udp/seal.hpp"
#include "fabric/udp/send_lanes.hpp"
#include "fabric/udp/watcher.hpp"

namespace aqueduct::fabric::udp {

struct PortSetup {
  NodeId self = 0;
  Plane plane{};
  std::uint32_t job = 0;  ///< the same at all nodes of the job and hardly at others
  std::unique_ptr<DatagramSocket> socket;
  std::unique_ptr<Seal> seal;  ///< null: none
  PeerTable peers;             ///< all nodes
  LinkSettings links;
  /// Where the threads of a node sleep; null of nodes that cannot be rung from here. May be empty.
  std::function<Doorbell*(NodeId)> doorbell;
  /// As soon as there is a client, a thread looks after the socket while the threads of this node sleep at
  /// its doorbell or compute. Where there is none to be had the job ends with one line.
  bool is_watched = false;
  /// AQUEDUCT_UDP_COUNTERS: a node that leaves says on stderr what it has counted, once.
  bool says_counters = false;
};

/// Bytes that a port takes for a node that nothing was exchanged with, for another one while nothing is under
/// way, and at most.
struct PeerMemory {
  std::size_t silent = 0, known = 0, busy = 0;
};
PeerMemory peer_memory(const LinkSettings& links = {});

class UdpPort final : public Port, public Watched {
 public:
  /// `clock` outlives the port.
  UdpPort(PortSetup setup, Clock& clock);
  ~UdpPort() override;

  Traits traits() const override;
  NodeId self() const override { return setup_.self; }
  unsigned distance(NodeId node) const override { return node == setup_.self ? 0 : 1; }
  void set_client(PortClient& client) override;
  Post send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
            std::uint64_t cookie) override {
    return send(target, header, payload, nullptr, Release::kWhenSent, cookie);
  }
  Post send_placed(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
                   const Place& place, Release release, std::uint64_t cookie) override {
    return send(target, header, payload, &place, release, cookie);
  }
  void expose(const Piece& memory) override;
  std::uint64_t post(NodeId source, const Piece& where) override;
  void withdraw(std::uint64_t place) override;
  void accept(std::uint64_t arrival, std::span<const Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie) override;
  void discard(std::uint64_t arrival) override;
  unsigned progress() override { return look(false); }
  Doorbell* doorbell(NodeId node) override { return setup_.doorbell ? setup_.doorbell(node) : nullptr; }

  void finish_sending(std::uint64_t most_ns) override;
  Silence silence(NodeId node) override;

  /// When progress() should be called at the latest; Link::kNever if only something that comes matters. Any
  /// thread.
  std::uint64_t deadline_ns() const override { return deadline_.ns(); }
  /// Grows with every call of progress(). Any thread.
  std::uint64_t looks() const override { return looks_.load(std::memory_order_relaxed); }
  int wake_fd() const override { return setup_.socket->wake_fd(); }
  unsigned service() override { return look(true); }
  /// Sends the acknowledgements that are owed, without being asked: this node is about to leave. Does nothing
  /// if this thread is inside, or another one for long.
  void say_farewell();

  /// A copy. Any thread.
  Counters counters();
  /// Of the nodes that something was exchanged with: how many, and what they take now. Any thread.
  struct LinkMemory {
    std::uint64_t links = 0, bytes = 0;
  };
  LinkMemory link_memory();
  /// Of a link, whatever is under way.
  static std::size_t peer_bytes();

 private:
  struct Peer;  // peer.hpp

  Post send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
            const Place* place, Release release, std::uint64_t cookie);

  /// The calling thread is in a report.
  bool is_in_report() const;
  /// What it sends leaves when the other reports have been made.
  bool sends_later(bool in_report) const { return in_report && !is_last_report_; }
  /// progress(). `on_time`: something may be due.
  unsigned look(bool on_time);
  Peer& peer(NodeId node);
  Peer* known_peer(NodeId node) const { return peers_[node].load(std::memory_order_acquire); }
  void count(std::uint64_t Counters::*counter);
  template <class Visit>
  void visit_peers(Visit&& visit);
  void receive_all(std::span<const Arrived> all, std::uint64_t now_ns);
  void take(const net::Address& from, std::span<std::byte> datagram, std::uint64_t now_ns);
  void take_of(Peer& sender, const PacketHead& head, std::span<std::byte> datagram, std::uint64_t now_ns);
  void has_taken(Peer& sender, std::uint64_t now_ns);
  /// Takes those at the beginning of `left` that are like the one that was taken last, and answers what is
  /// behind them.
  std::span<std::byte> take_alike(std::span<std::byte> left, std::uint64_t now_ns);
  bool is_sealed() const { return setup_.seal && tag_bytes_ != 0; }
  std::span<std::byte> frames_of(std::span<std::byte> datagram) const;
  void look_after_links(std::uint64_t now_ns, bool flush);
  unsigned report_all(std::uint64_t now_ns);
  void report(Report& report);
  WaitingArrival& arrival(std::uint64_t id) { return *reinterpret_cast<WaitingArrival*>(id); }

  // With the list's lock.
  void adopt_woken();

  // What other threads have left for whoever holds the peer's lock (left_messages.hpp).
  /// Leaves a small message. kRetry: there is no room.
  Post leave(Peer& to, std::span<const std::byte> header, std::span<const Piece> payload,
             std::size_t payload_bytes, const Place* place, std::uint64_t cookie);
  /// With the peer's lock, which is free afterwards: sends what was left.
  void give_way(Peer& peer);

  // With the turn: arrivals that are answered in reports.
  void answered_in_turn(WaitingArrival& arrival, Peer& from);
  void tell_answered();

  // With the peer's lock.
  bool take_left(Peer& peer);
  void tell_answered_with(Peer& peer);
  void activate(Peer& peer);
  void transmit(Peer& peer, std::uint64_t now_ns, bool flush);
  bool send_unsent(Peer& peer);
  void free_arrival(WaitingArrival& arrival, Peer& from);

  PortSetup setup_;
  Clock& clock_;
  PortClient* client_ = nullptr;
  std::size_t tag_bytes_;
  std::vector<std::atomic<Peer*>> peers_;  // by node; null: silent
  SpinLock new_peers_lock_;                // whoever makes one
  SendLanes lanes_;
  BufferPool buffers_;
  PlaceTable places_{buffers_};

  // Written by all threads that send.
  alignas(kCacheLine) Deadline deadline_;
  std::atomic<bool> is_dirty_{false};    // some link has something to send that was not tried
  std::atomic<bool> holds_back_{false};  // small messages wait for company
  std::atomic<bool> has_sent_{false};    // the client, since the last look
  std::atomic<unsigned> full_{0};        // peers that keep what the socket has not taken
  std::atomic<Peer*> woken_{nullptr};    // active ones that are not in the list yet

  SpinLock counters_lock_;  // of counters_
  Counters counters_;       // of what belongs to no link

  SpinLock active_lock_;  // of active_
  std::vector<Peer*> active_;

  // All threads that poll look at turn_, and all that send at reporting_.
  alignas(kCacheLine) SpinLock turn_;  // whose turn it is in progress(): of what follows
  alignas(kCacheLine) std::atomic<const void*> reporting_{nullptr};  // a thread; see is_in_report()

  alignas(kCacheLine) std::atomic<std::uint64_t> looks_{0};
  std::vector<Report> reporting_now_;
  WaitingArrivals arrivals_;
  std::vector<std::vector<std::byte>> kept_;
  std::size_t taken_ = 0;                 // the index of what is taken, in what the socket has shown
  bool is_alone_ = false;                 // the datagram under way, in its memory
  bool is_last_report_ = false;           // the report under way, of those that are known
  const WaitingArrival* told_ = nullptr;  // the arrival that is being reported, until it is answered in there
  Peer* answered_peer_ = nullptr;         // of what was answered in reports, and its link not told yet
  std::size_t answered_bytes_ = 0;
  // The datagram that was taken last, where others may be like it; else `pattern_of_` is null.
  Peer* pattern_of_ = nullptr;
  PartPattern pattern_;

  Reports reports_;

  std::unique_ptr<Watcher> watcher_;  // last: it ends before what it looks after
};

}  // namespace aqueduct::fabric::udp
