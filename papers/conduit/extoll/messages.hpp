// Sends and receives active messages over VELO; extoll.hpp describes the protocol.
//
// Threads: inject() and reply() any; the rest with the endpoint's lock held.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "papers/conduit/extoll/long_messages.hpp"
#include "papers/parts/arrived_messages.hpp"
#include "parts/request_credits.hpp"

namespace aqueduct::conduit::extoll {

class Messages final : private PacketLink {
 public:
  Messages(Endpoint& endpoint, PutsAndGets& transfers, std::function<void()> progress);

  /// Of a peer that was talked with.
  static constexpr std::size_t peer_bytes() { return sizeof(Peer) + parts::RequestCredits::peer_bytes(); }

  Post inject(RankId target, const Message& request);
  Post reply(const Origin& origin, const Message& reply);

  /// Takes packets, and returns how many.
  unsigned receive() {
    completed_ = 0;
    return am_->receive();
  }
  /// A peer has put something into the segment.
  void data_came(const Nic::Notice& notice);
  /// Sends what could not be sent earlier.
  void proceed();
  /// Runs handlers; releases the lock, which is held, meanwhile.
  unsigned deliver(Scope scope);
  bool is_idle() const {
    return unsent_.empty() && untold_.empty() && !longs_.has_unfinished() && credits_.due_peers() == 0;
  }

  // For Longs.
  Post send_out(Outgoing& out);
  /// Tells a peer that its payload of that name has been read.
  void tell_read(RankId source, std::uint64_t name);
  /// Queues a complete message; does nothing for null.
  void ready(parts::LongArrival* complete);

  void count_resources(observe::ResourceCounts& counts) const;

  // For reports.
  void list_unanswered(parts::ProbeList& peers) { credits_.list_unanswered(peers); }
  void list_stuck(parts::ProbeList& peers) const;
  unsigned answers_missing_from(RankId rank) const { return credits_.outstanding(rank); }
  unsigned stuck_to(RankId rank) const;

 private:
  static constexpr unsigned kMessagesAtOnce = 64;  ///< the most that one poll takes and delivers

  enum Stream : std::uint8_t { kRequests, kReplies };
  static Stream stream_of(bool is_reply) { return is_reply ? kReplies : kRequests; }

  struct Peer {
    std::array<Outgoing*, 2> leaving{};         ///< by stream: the message whose packets are being sent
    std::array<ArrivedMessage*, 2> arriving{};  ///< by stream: the message of which more packets will come
    // Words of control packets that are to be sent.
    std::vector<std::uint64_t> landed, read;
    bool is_to_be_told = false;  ///< among untold_
  };
  static constexpr RankId kPeerBlock = 16;
  using PeerBlock = std::array<Peer, kPeerBlock>;

  // --- messages.cpp
  MessageForm form_of(const Message& message) const;
  static void fill(Outgoing& out, RankId target, const Message& message, MessageForm form, unsigned credits);
  Post send(RankId target, const Message& message, unsigned credits);
  void continue_sending();
  bool send_control(RankId target, MessageKind kind, unsigned credits, std::span<const std::uint64_t> words);
  bool send_words(RankId target, MessageKind kind, std::vector<std::uint64_t>& words);
  void tell(RankId target);
  void tell_all();
  void give_credits_back();
  Peer& peer(RankId rank);

  // --- arrivals.cpp
  void first_packet(Peer& from, const Packet& packet);
  void control_packet(const Packet& packet);
  /// Takes the next `bytes` of a message; true: it is complete.
  bool absorb(ArrivedMessage& arrived, const std::byte* from, std::size_t bytes);
  void read_front(ArrivedMessage& arrived, const std::byte* front);
  void packets_complete(ArrivedMessage& arrived);
  void check_head(RankId source, const Head& head) const;
  void came_back(RankId source, unsigned credits);

  // PacketLink.
  bool send_packet(Outgoing& message, std::size_t bytes) override;
  bool take_packet() override;
  bool has_packet() override { return endpoint_.nic.has_packet(); }
  bool is_enough() override { return completed_ >= kMessagesAtOnce; }
  void lock() override { endpoint_.lock.lock(); }
  void unlock() override { endpoint_.lock.unlock(); }

  Endpoint& endpoint_;
  parts::RequestCredits credits_;
  std::vector<std::unique_ptr<PeerBlock>> peers_;
  std::unique_ptr<AmImplementation> am_;
  Longs longs_;
  parts::Pool<Outgoing> kept_;
  std::deque<Outgoing*> unsent_;
  std::deque<RankId> untold_;
  parts::ArrivedMessages<ArrivedMessage> arrived_;
  unsigned completed_ = 0;  ///< messages completed by this receive()
};

}  // namespace aqueduct::conduit::extoll
