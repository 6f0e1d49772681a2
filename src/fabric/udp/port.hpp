// udp: the fabric between hosts, over datagrams. A port has one socket for all peers and a link (link.hpp)
// for each that it has exchanged datagrams with; of a silent one it knows the address alone (14 bytes).
//
// Nothing from outside is trusted. What is not of this job, plane and node, or not sealed with the job's key
// (without a seal: not from the sender's address), is counted and dropped, and so is what was there before. A
// link is made by the first datagram of ours or the first that is believed.
//
// Progress: progress() receives, reports, and sends what is due: acknowledgements, what was lost, probes. It
// should be called again at deadline_ns() even if nothing comes. Whoever calls it while the client computes
// keeps its peers from waiting. send() sends at once, unless it is called from within a report or the message
// waits for company (link.hpp).
//
// An arrival's memory is that of the receive buffer during arrived(); a payload that came along is copied if
// the client has not answered by then.
//
// Failure: a peer that stays silent for LinkSettings::give_up_ns while something is on its way to it is
// lost().
//
// Threads: as fabric.hpp says. One lock guards links, socket and queues; it is not held while the client is
// called. A thread that finds another one in progress() returns at once.
#pragma once
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/spin_lock.hpp"
#include "fabric/udp/counters.hpp"
#include "fabric/udp/datagram_socket.hpp"
#include "fabric/udp/link.hpp"
#include "fabric/udp/peer_table.hpp"
#include "fabric/udp/place_table.hpp"
#include "fabric/udp/seal.hpp"
#include "fabric/udp/send_batch.hpp"
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

class UdpPort final : public Port, public Watched, private LinkOwner {
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
  std::uint64_t deadline_ns() const override { return deadline_ns_.load(std::memory_order_relaxed); }
  /// Grows with every call of progress(). Any thread.
  std::uint64_t looks() const override { return looks_.load(std::memory_order_relaxed); }
  int wake_fd() const override { return setup_.socket->wake_fd(); }
  unsigned service() override { return look(true); }
  /// Sends the acknowledgements that are owed, without being asked: this node is about to leave. Does nothing
  /// if this thread is inside, or another one for long.
  void say_farewell();

  /// A copy. Any thread.
  Counters counters();

 private:
  /// A message that the client has been told of, or will be, and has not answered.
  struct WaitingArrival {
    bool is_in_use = false;
    bool is_borrowed = false;  // the payload lies in the receive buffer
    RecordKind kind = RecordKind::kInline;
    std::uint32_t generation = 0;
    std::uint32_t transfer = 0;
    NodeId source = 0;
    std::uint64_t payload_bytes = 0;
    std::span<const std::byte> header;
    const std::byte* payload = nullptr;
    std::size_t record_bytes = 0;
    BufferPool::Buffer buffer;  // of a payload that has no place of its own
    std::vector<std::byte> own;
    std::array<std::byte, kMaxHeader> own_header;  // of a message that named its place
  };
  struct Event {
    enum class Kind : std::uint8_t { kArrived, kLanded, kSent, kUndeliverable, kLost } kind = Kind::kArrived;
    Outcome outcome = Outcome::kOk;
    NodeId node = 0;
    std::uint32_t slot = 0;  // of the arrival
    std::uint64_t cookie = 0;
    std::vector<std::byte> header;
  };

  Post send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
            const Place* place, Release release, std::uint64_t cookie);

  // LinkOwner
  void message_came(Link& link, const MessageRecord& record) override;
  PlacedMemory memory_of(NodeId peer, const Place& place, std::uint64_t bytes) override {
    return places_.memory_of(peer, place, bytes);
  }
  void message_placed(Link& link, ArrivingMessage& message) override;
  void abandoned(ArrivingMessage& message) override { buffers_.give_back(std::move(message.buffer)); }
  void landed(std::uint64_t cookie, Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
  void undeliverable(NodeId peer, std::uint64_t cookie, std::span<const std::byte> header) override;
  void lost(NodeId peer) override;
  void retried(NodeId peer, observe::Retry why) override {
    if (client_) client_->retried(peer, why);
  }
  void moved(const Piece& from, std::byte* to) override { batch_.moved(from, to); }
  std::vector<std::vector<std::byte>>& kept() override { return kept_; }
  BufferPool& buffers() override { return buffers_; }

  /// progress(). `on_time`: something may be due.
  unsigned look(bool on_time);
  Link& link(NodeId node);
  void receive_all(std::span<const Arrived> all, std::uint64_t now_ns);
  void take(const net::Address& from, std::span<std::byte> datagram, std::uint64_t now_ns);
  void transmit(Link& link, std::uint64_t now_ns, bool flush);
  void look_after_links(std::uint64_t now_ns, bool flush);
  void activate(Link& link);
  unsigned report_events();
  void report(Event& event);
  WaitingArrival& new_arrival(Link& link);
  WaitingArrival& arrival(std::uint64_t id) { return arrivals_[static_cast<std::uint32_t>(id)]; }
  void free_arrival(WaitingArrival& arrival, std::uint32_t slot);

  PortSetup setup_;
  Clock& clock_;
  PortClient* client_ = nullptr;
  std::size_t tag_bytes_;
  std::atomic<std::uint64_t> deadline_ns_{Link::kNever};
  std::atomic<std::uint64_t> looks_{0};

  SpinLock turn_;  // whose turn it is in progress()
  std::vector<Event> reporting_;

  SpinLock lock_;  // of what follows
  BufferPool buffers_;
  std::vector<std::unique_ptr<Link>> links_;  // by node; null: silent
  std::vector<Link*> active_;
  std::vector<bool> is_active_;
  bool is_reporting_ = false;  // what is sent goes when all is reported
  unsigned sends_ = 0;         // since the last progress()
  bool is_dirty_ = false;      // some link has something to send that was not tried
  bool holds_back_ = false;    // small messages wait for company
  SendBatch batch_;
  std::vector<Event> events_;
  std::vector<std::vector<std::byte>> kept_;
  std::deque<WaitingArrival> arrivals_;
  std::vector<std::uint32_t> free_arrivals_;
  PlaceTable places_{buffers_};
  Counters counters_;

  std::unique_ptr<Watcher> watcher_;  // last: it ends before what it looks after
};

}  // namespace aqueduct::fabric::udp
