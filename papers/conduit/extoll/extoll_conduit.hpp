// The extoll conduit's insides; extoll.hpp says how it works.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/conduit/extoll/nic.hpp"
#include "parts/answer_watch.hpp"
#include "parts/arrived_messages.hpp"
#include "parts/long/choice.hpp"
#include "parts/parcels.hpp"
#include "parts/pending_replies.hpp"
#include "parts/pool.hpp"
#include "parts/request_credits.hpp"
#include "parts/transfers.hpp"

namespace aqueduct::conduit::extoll {

/// `memory`: the NLA of the first byte of the target's segment.
using Transfer = parts::Transfer<RMA2_NLA>;
using Transfers = parts::Transfers<RMA2_NLA>;

/// A Long whose payload travels by itself, on its way out.
struct LeavingLong : parts::LongSend {
  std::uint32_t name = 0;  ///< among all of them
  Outgoing envelope;
  Command* exposed = nullptr;  ///< holds the local memory of a rendezvous
};

class ExtollConduit;

/// A message that has come, or of which some packets have.
struct ArrivedMessage : parts::LongArrival {
  ExtollConduit* conduit = nullptr;  ///< of one whose payload is fetched
  parts::Parcel parcel;
  Head head;
  ExposedSource exposed;
  std::size_t front_here = 0, payload_here = 0;  ///< bytes
  bool has_front = false;                        ///< all of it, and it is read
  std::byte* payload_to = nullptr;
  alignas(8) std::byte front[kMostFrontBytes];
};

class ExtollConduit final : public Conduit,
                            public Rma,
                            private PacketLink,
                            private parts::LongNetwork,
                            private parts::PendingReplies,
                            private parts::AnswerWatch,
                            private Transfers::Client {
 public:
  ExtollConduit(const Settings& settings, const Opening& opening);

  Limits limits() const override { return Settings::limits(); }
  Post inject(RankId target, const Message& request) override;
  Post reply(const Origin& origin, const Message& reply) override;
  unsigned poll(Scope scope) override;

  std::vector<std::byte> export_segment(const SegmentBounds& mine) override;
  void withdraw_segment() override;
  void import_segments(const SegmentKeys& keys) override { keys_ = keys; }
  void segments_attached(std::span<const SegmentBounds> segments) override;

  Doorbell* doorbell(RankId rank) override { return aqueduct::extoll::doorbell_of(rank); }
  void finish_sending(std::uint64_t most_ns) override;
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(*this); }

  conduit::Rma* rma() override { return this; }
  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Rma::Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Rma::Done done,
           void* operation) override;

 private:
  static constexpr unsigned kMessagesAtOnce = 64;  ///< that one poll takes and delivers

  enum Stream : std::uint8_t { kRequests, kReplies };
  static Stream stream_of(bool is_reply) { return is_reply ? kReplies : kRequests; }

  struct Peer {
    Line line;
    std::array<Outgoing*, 2> leaving{};         ///< by stream: the message whose packets are being sent
    std::array<ArrivedMessage*, 2> arriving{};  ///< by stream: the message of which more packets will come
    // Words of control packets that are to be sent.
    std::vector<std::uint64_t> landed, read;
    bool is_to_be_told = false;  ///< among untold_
  };
  static constexpr RankId kPeerBlock = 16;
  using PeerBlock = std::array<Peer, kPeerBlock>;

  /// By what a segment is reached: it is registered twice.
  struct SegmentKey {
    std::uint64_t start = 0;
    RMA2_NLA puts = 0, longs = 0;
  };

  // Everything that follows with the lock held, unless it says otherwise.

  // --- messages.cpp
  Form form_of(const Message& message) const;
  static void fill(Outgoing& out, RankId target, const Message& message, Form form, unsigned credits);
  Post send(RankId target, const Message& message, Form form, unsigned credits);
  Post send_out(Outgoing& out);
  void continue_sending();
  bool send_control(RankId target, MessageKind kind, unsigned credits, std::span<const std::uint64_t> words);
  bool send_words(RankId target, MessageKind kind, std::vector<std::uint64_t>& words);
  void tell(RankId target);
  void tell_all();
  void give_credits_back();
  Peer& peer(RankId rank);
  bool send_packet(Outgoing& message, std::size_t bytes) override;

  // --- arrivals.cpp
  bool take_packet() override;
  bool has_packet() override { return nic_.has_packet(); }
  bool is_enough() override { return completed_ >= kMessagesAtOnce; }
  void lock() override { lock_.lock(); }
  void unlock() override { lock_.unlock(); }
  void first_packet(Peer& from, const Packet& packet);
  void control_packet(const Packet& packet);
  /// The message has come as far as `bytes` go; true: all of it has.
  bool absorb(ArrivedMessage& arrived, const std::byte* from, std::size_t bytes);
  void read_front(ArrivedMessage& arrived, const std::byte* front);
  void packets_complete(ArrivedMessage& arrived);
  void check_head(RankId source, const Head& head) const;
  void came_back(RankId source, unsigned credits);
  void ready(parts::LongArrival* complete);
  unsigned take_notices();
  void data_came(const Nic::Notice& notice);
  unsigned progress();
  bool is_idle() const;

  // --- long_messages.cpp: parts::LongNetwork
  parts::LongAbilities long_abilities() const override;
  Post send_long(RankId target, const Message& message, Form form, unsigned credits);
  Post put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post expose_payload(parts::LongSend& send) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override { progress(); }
  void finished(parts::LongSend& send) override;
  Post get_payload(parts::LongArrival& arrival) override;
  void tell_source(parts::LongArrival& arrival) override;

  // --- rma.cpp
  bool begin_part(Transfer& transfer) override;
  bool begin_put(Transfer& transfer, Command& command);
  bool begin_get(Transfer& transfer, Command& command);
  void command_told(Command& command);
  void command_landed(Command& command);
  void command_over(Command& command);
  void release(Command& command) {
    local_.release(command.held);
    nic_.give_back(command);
  }
  SegmentKey segment_of(RankId rank) const;

  // --- reports
  void list_unanswered(parts::PeerWatch::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;
  void probe(RankId peer, std::uint32_t name) override;

  const Settings settings_;
  const RankId self_;
  const RankId ranks_;
  world::World& world_;
  Receiver& receiver_;
  SegmentBounds segment_;
  Registered segment_puts_, segment_longs_;
  SegmentKeys keys_;
  const parts::LongProtocolKind long_kind_;

  SpinLock lock_;  // of what follows
  Nic nic_;
  LocalMemory local_;
  Transfers transfers_;
  parts::RequestCredits credits_;
  std::vector<std::unique_ptr<PeerBlock>> peers_;
  std::unique_ptr<AmImplementation> am_;
  std::unique_ptr<parts::LongProtocol> long_;
  parts::Pool<Outgoing> kept_;
  std::deque<Outgoing*> unsent_;
  std::deque<RankId> untold_;
  parts::Pool<LeavingLong> longs_;
  parts::ArrivedMessages<ArrivedMessage> arrived_;
  unsigned completed_ = 0;  ///< messages, since progress() was called
  // Probes: a byte of a peer's segment, which is read to a byte here.
  std::array<Command, parts::PeerWatch::kMostProbes> probes_;
  std::array<std::byte, parts::PeerWatch::kMostProbes> probe_bytes_{};
  Registered probe_bytes_registered_;
};

}  // namespace aqueduct::conduit::extoll
