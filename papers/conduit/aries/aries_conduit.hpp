// The aries conduit's insides; aries.hpp says how it works.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/conduit/aries/envelope.hpp"
#include "papers/conduit/aries/nic.hpp"
#include "papers/conduit/aries/notify.hpp"
#include "parts/answer_watch.hpp"
#include "parts/arrived_messages.hpp"
#include "parts/long/choice.hpp"
#include "parts/parcels.hpp"
#include "parts/pending_replies.hpp"
#include "parts/pool.hpp"
#include "parts/transfers.hpp"

namespace aqueduct::conduit::aries {

/// Memory in which others reach us: pool buffers, immediate and bounce buffers, and for each peer a region
/// for its requests and a ring for its notify words.
class MessageArea {
 public:
  MessageArea(const Settings& settings, RankId ranks);
  ~MessageArea();
  MessageArea(const MessageArea&) = delete;

  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t buffer(std::size_t slot) const { return slot * buffer_bytes_; }
  std::size_t immediate() const { return immediate_; }
  std::size_t rendezvous_buffer(std::size_t i) const { return rendezvous_ + i * buffer_bytes_; }
  std::size_t region(RankId peer) const { return regions_ + peer * peer_bytes_; }
  std::size_t ring(RankId peer) const { return region(peer) + region_bytes_; }
  std::byte* at(std::size_t offset) const { return base_ + offset; }
  std::size_t peer_bytes() const { return peer_bytes_; }

 private:
  std::size_t buffer_bytes_, immediate_, rendezvous_, regions_, region_bytes_, peer_bytes_, bytes_;
  std::byte* base_;
};

using Transfer = parts::Transfer<gni_mem_handle_t>;
using Transfers = parts::Transfers<gni_mem_handle_t>;

/// A Long whose payload travels by itself, on its way out.
struct LeavingLong : parts::LongSend {
  std::uint16_t name = 0;  ///< among all of them
  Notify notify;
  std::size_t remote_offset = 0;  ///< of the message, in the target's area
  std::size_t bytes = 0;
  Descriptor* exposed = nullptr;  ///< holds the local memory of a rendezvous
  std::uint32_t pool_slot = 0;    ///< of a request
  alignas(8) std::byte body[parts::arguments_bytes(am::kMaxArgs) + sizeof(Envelope)];
};

class AriesConduit;

/// A message that has come.
struct ArrivedMessage : parts::LongArrival {
  AriesConduit* conduit = nullptr;  ///< of one whose payload is fetched
  parts::Parcel parcel;
  Notify notify;
  Envelope envelope;
};

class AriesConduit final : public Conduit,
                           public Rma,
                           public Atomics,
                           private parts::LongNetwork,
                           private parts::PendingReplies,
                           private parts::AnswerWatch,
                           private Transfers::Client,
                           private LocalMemory::Registrar {
 public:
  AriesConduit(const Settings& settings, const Opening& opening);

  Limits limits() const override { return settings_.limits(); }
  Post inject(RankId target, const Message& request) override;
  Post reply(const Origin& origin, const Message& reply) override;
  unsigned poll(Scope scope) override;

  std::vector<std::byte> export_segment(const SegmentBounds& mine) override;
  void withdraw_segment() override;
  void import_segments(const SegmentKeys& keys) override { keys_ = keys; }
  void segments_attached(std::span<const SegmentBounds> segments) override;

  Doorbell* doorbell(RankId rank) override { return ugni::doorbell_of(rank); }
  void finish_sending(std::uint64_t most_ns) override;
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(*this); }

  /// What Longs have needed here that were not complete: the protocol's, and records of messages.
  parts::LongMemory long_memory() const {
    const parts::LongMemory protocols = long_->memory();
    return {protocols.most_waiting, protocols.bytes + arrived_.size() * sizeof(ArrivedMessage)};
  }

  Rma* rma() override { return this; }
  Atomics* atomics() override { return this; }
  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Rma::Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Rma::Done done,
           void* operation) override;
  bool has(AtomicType type, AtomicAction action) override;
  Post start(const AtomicRequest& request, Atomics::Done done, void* operation) override;

 private:
  /// A peer, as messages see it.
  struct Peer {
    std::uint64_t free_slots = 0;        ///< of our region there
    std::uint32_t send_position = 0;     ///< in our ring there, ever
    std::uint32_t receive_position = 0;  ///< in its ring here, ever
    std::uint32_t unseen = 0;            ///< headers that events have announced
    std::uint8_t longs = 0;              ///< of ours that are outstanding there
    bool is_slow = false;                ///< among slow_peers_
    bool is_known = false;
  };
  /// A request of ours that is outstanding, by the pool buffer in which it is answered.
  struct Outstanding {
    RankId peer = 0;
    std::uint64_t slots = 0;
    bool is_long = false;
    bool is_unanswered = false;
    bool is_leaving = false;  ///< its Long is not finished
  };
  /// A request whose body is being fetched.
  struct Fetch {
    AriesConduit* conduit = nullptr;
    RankId source = 0;
    Notify notify;
    std::byte* body = nullptr;  ///< where it goes, in our area
  };
  /// Where a body goes and how much it is.
  struct Body {
    Command command;
    std::size_t bytes;
  };

  // Everything that follows with the lock held, unless it says otherwise.

  // --- messages.cpp
  Body body_of(const Message& message) const;
  void fill(std::byte* to, const Message& message, const Body& body) const;
  bool reserve(RankId target, const Body& body, std::uint32_t* pool_slot, std::uint8_t* target_slot);
  void settle(std::uint32_t pool_slot);
  Post post_message(RankId target, const std::byte* body, std::size_t bytes, std::size_t remote_offset,
                    const Notify& notify);
  void tell(RankId target, Control what, std::uint16_t argument);
  bool post_control(RankId target, std::uint64_t value);
  Post send_long(RankId target, const Message& message, const Body& body, const Notify& notify,
                 std::size_t remote_offset, std::uint32_t pool_slot);
  Peer& peer(RankId rank);

  // --- long_messages.cpp: parts::LongNetwork
  parts::LongAbilities long_abilities() const override;
  Post put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post expose_payload(parts::LongSend& send) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override;
  void finished(parts::LongSend& send) override;
  Post get_payload(parts::LongArrival& arrival) override;
  void tell_source(parts::LongArrival& arrival) override;
  void payload_event(Descriptor& descriptor, std::uint16_t event);

  // --- arrivals.cpp
  /// These answer how many events they have found.
  unsigned take_completions(unsigned limit);
  unsigned take_arrivals(unsigned limit);
  void header_came(RankId source, bool is_announced);
  void take_message(RankId source, const Notify& notify);
  void take_body(RankId source, const Notify& notify, const std::byte* body);
  /// Of arguments, envelope and what comes along.
  static std::size_t body_bytes(const Notify& notify);
  void take_long_envelope(ArrivedMessage& arrived, const std::byte* body);
  void control_came(const Event& event);
  void ready(parts::LongArrival* complete);
  unsigned progress();
  void handler_over(ArrivedMessage& arrived);

  // --- rendezvous.cpp
  void fetch_body(RankId source, const Notify& notify);
  bool begin_fetch(RankId source, const Notify& notify);
  void continue_fetches();

  // --- rma.cpp
  bool begin_part(Transfer& transfer) override;
  bool begin_put(Transfer& transfer, Descriptor& descriptor);
  bool begin_get(Transfer& transfer, Descriptor& descriptor);
  bool post_part(Transfer& transfer, Descriptor& descriptor, std::size_t bytes);
  void part_event(Descriptor& descriptor, std::uint16_t event);

  // --- local_memory.cpp
  /// Makes memory known to uGNI for one post: the segment's registration, one from the cache, one of its own.
  /// `*bytes`: how much of it; all or none if `is_whole`. False: there is no registration to be had now.
  bool hold(std::uintptr_t address, bool is_whole, Descriptor& descriptor, std::size_t* bytes);
  /// A buffer instead, of at least `bytes`; null: there is none now.
  std::byte* take_buffer(Descriptor& descriptor, std::size_t bytes);
  void give_back(Descriptor& descriptor) {
    local_.release(descriptor.held);
    nic_.give_back(descriptor);
  }
  gni_mem_handle_t segment_of(RankId rank) const;
  bool register_memory(std::uintptr_t address, std::size_t bytes, gni_mem_handle_t* handle) override;
  void deregister_memory(gni_mem_handle_t& handle) override;

  // --- silent_peers.cpp
  void probe_answered(Descriptor& descriptor);
  // Without the lock.
  void probe(RankId peer, std::uint32_t name) override;
  void list_unanswered(parts::PeerWatch::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

  std::uint64_t remote_area(RankId peer) const { return areas_[peer].base; }
  std::uint16_t message_delivery() const;

  /// What peers tell each other at the start.
  struct Card {
    std::uint64_t base = 0;
    gni_mem_handle_t memory{};
    std::uint32_t address = 0;
    std::uint32_t depth = 0;
    std::uint64_t slot_bytes = 0;
    std::uint64_t buffer_bytes = 0;
    std::uint64_t first_region = 0;
  };
  void exchange_cards(job::Bootstrap& bootstrap);

  const Settings settings_;
  const RankId self_;
  const RankId ranks_;
  world::World& world_;
  Receiver& receiver_;
  MessageArea area_;
  gni_mem_handle_t area_memory_{};
  SegmentBounds segment_;
  gni_mem_handle_t segment_memory_{};
  SegmentKeys keys_;
  const parts::LongProtocolKind long_kind_;
  const bool is_rendezvous_;

  SpinLock lock_;  // of what follows
  Nic nic_;
  std::vector<Card> areas_;
  std::vector<Peer> peers_;
  std::vector<Outstanding> outstanding_;
  std::vector<std::uint32_t> free_buffers_;
  std::vector<std::byte> scratch_;
  std::deque<RankId> slow_peers_;
  struct Unsent {
    RankId target;
    std::uint64_t value;
  };
  std::deque<Unsent> unsent_controls_;
  parts::Pool<LeavingLong> longs_;
  parts::ArrivedMessages<ArrivedMessage> arrived_;
  std::vector<Fetch> fetches_;
  std::vector<Fetch*> free_fetches_;
  std::deque<std::pair<RankId, Notify>> unfetched_;
  LocalMemory local_;
  Transfers transfers_;
  std::unique_ptr<parts::LongProtocol> long_;
  unsigned probes_under_way_ = 0;
};

}  // namespace aqueduct::conduit::aries
