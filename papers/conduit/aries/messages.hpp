// Sends and receives active messages over uGNI; aries.hpp describes the protocol.
//
// Threads: inject(), reply() and deliver() any; the rest with the endpoint's lock held.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "papers/conduit/aries/long_messages.hpp"
#include "papers/parts/arrived_messages.hpp"
#include "parts/probe_list.hpp"

namespace aqueduct::conduit::aries {

class Messages {
 public:
  Messages(Endpoint& endpoint, PutsAndGets& transfers, std::function<void()> progress);

  /// Of every peer: its part of a block's pointer.
  static constexpr std::size_t peer_bytes() { return sizeof(void*) / kPeerBlock; }

  Post inject(RankId target, const Message& request);
  Post reply(const Origin& origin, const Message& reply);

  /// Takes at most `limit` events from the queue of arrivals, and returns how many.
  unsigned take_arrivals(unsigned limit);
  /// Retries what was not possible earlier.
  void proceed();
  /// Runs handlers; releases the lock, which is held, meanwhile.
  unsigned deliver(Scope scope);
  bool has_unsent() const { return !unsent_controls_.empty() || longs_.has_unfinished(); }

  // For Longs.
  Post post_message(RankId target, const std::byte* body, std::size_t bytes, std::size_t remote_offset,
                    const Notify& notify);
  void tell(RankId target, Control what, std::uint16_t argument);
  /// A Long request has left altogether.
  void long_left(std::uint32_t pool_slot);
  /// Queues a complete message; does nothing for null.
  void ready(parts::LongArrival* complete);

  void count_resources(observe::ResourceCounts& counts) const;

  // For reports.
  void list_unanswered(parts::ProbeList& peers) const;
  unsigned answers_missing_from(RankId peer) const;
  parts::LongMemory long_memory() const {
    const parts::LongMemory protocols = longs_.memory();
    return {protocols.most_waiting, protocols.waiting,
            protocols.bytes + arrived_.size() * sizeof(ArrivedMessage)};
  }

 private:
  /// Frees a descriptor when its post is over; nobody waits for it.
  class Posted final : public PostHandler {
   public:
    Posted(PostUse what, Endpoint& endpoint) : PostHandler(what), endpoint_(endpoint) {}
    void completed(PostDescriptor& descriptor, std::uint16_t) override {
      endpoint_.nic.give_back(descriptor);
    }

   private:
    Endpoint& endpoint_;
  };
  /// The state of messages with one peer.
  struct Peer {
    std::uint64_t free_slots = 0;        ///< free slots of our region there
    std::uint32_t send_position = 0;     ///< in our ring there, ever
    std::uint32_t receive_position = 0;  ///< in its ring here, ever
    std::uint32_t unseen = 0;            ///< headers announced by events but not taken
    std::uint8_t longs = 0;              ///< of ours that are outstanding there
    bool is_slow = false;                ///< among slow_peers_
    bool is_known = false;
  };
  /// Peers are made in blocks, when the first message to one of a block leaves or comes.
  static constexpr RankId kPeerBlock = 8;
  using PeerBlock = std::array<Peer, kPeerBlock>;
  /// An outstanding request, indexed by the pool buffer of its answer.
  struct Outstanding {
    RankId peer = 0;
    std::uint64_t slots = 0;
    bool is_long = false;
    bool is_unanswered = false;
    bool is_leaving = false;  ///< its Long is not finished
  };
  /// A request whose body is being fetched.
  struct Fetch {
    Messages* messages = nullptr;
    RankId source = 0;
    Notify notify;
    std::byte* body = nullptr;  ///< its destination in our area
  };
  /// The form of a message and the size of its body.
  struct Body {
    MessageForm command;
    std::size_t bytes;
  };

  // --- messages.cpp
  Body body_of(const Message& message) const;
  void fill(std::byte* to, const Message& message, const Body& body) const;
  bool reserve(RankId target, const Body& body, std::uint32_t* pool_slot, std::uint8_t* target_slot);
  void settle(std::uint32_t pool_slot);
  Post send_long(RankId target, const Message& message, const Body& body, const Notify& notify,
                 std::size_t remote_offset, std::uint32_t pool_slot);
  bool post_control(RankId target, std::uint64_t value);
  Peer& peer(RankId rank);
  std::uint16_t message_delivery() const;

  // --- arrivals.cpp
  void header_came(RankId source, bool is_announced);
  void take_message(RankId source, const Notify& notify);
  void take_body(RankId source, const Notify& notify, const std::byte* body);
  /// The size of arguments, envelope and packed payload.
  static std::size_t body_bytes(const Notify& notify);
  void take_long_envelope(ArrivedMessage& arrived, const std::byte* body);
  void control_came(const Event& event);
  void handler_over(ArrivedMessage& arrived);

  // --- rendezvous.cpp
  void fetch_body(RankId source, const Notify& notify);
  bool begin_fetch(RankId source, const Notify& notify);
  void continue_fetches();

  Endpoint& endpoint_;
  PutsAndGets& transfers_;
  Posted message_posts_;
  Posted control_posts_;
  Longs longs_;
  std::vector<std::unique_ptr<PeerBlock>> peers_;
  std::vector<Outstanding> outstanding_;
  std::vector<std::uint32_t> free_buffers_;
  std::vector<std::byte> scratch_;
  std::deque<RankId> slow_peers_;
  struct Unsent {
    RankId target;
    std::uint64_t value;
  };
  std::deque<Unsent> unsent_controls_;
  parts::ArrivedMessages<ArrivedMessage> arrived_;
  std::vector<Fetch> fetches_;
  std::vector<Fetch*> free_fetches_;
  std::deque<std::pair<RankId, Notify>> unfetched_;
};

}  // namespace aqueduct::conduit::aries
