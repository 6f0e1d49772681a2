// The Portals conduit's insides; portals.hpp says how it works.
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/spinning.hpp"
#include "conduit/conduit.hpp"
#include "job/place/membership.hpp"
#include "papers/conduit/portals/control_line.hpp"
#include "papers/conduit/portals/interface.hpp"
#include "papers/conduit/portals/lent_memory.hpp"
#include "papers/conduit/portals/local_memory.hpp"
#include "papers/conduit/portals/long_messages.hpp"
#include "papers/conduit/portals/match_bits.hpp"
#include "papers/conduit/portals/remote_memory.hpp"
#include "papers/conduit/portals/request_buffers.hpp"
#include "papers/conduit/portals/settings.hpp"
#include "papers/parts/am_over_message_passing.hpp"
#include "papers/parts/credit_plan.hpp"
#include "papers/parts/credits.hpp"
#include "papers/parts/message_passing/portals_mpi.hpp"
#include "papers/parts/portals_watch.hpp"
#include "papers/parts/send_tokens.hpp"
#include "parts/chunk_pool.hpp"
#include "parts/long/choice.hpp"
#include "parts/operation_names.hpp"
#include "parts/parcels.hpp"
#include "parts/pool.hpp"

namespace aqueduct::conduit::portals {

class PortalsConduit final : public Conduit,
                             public Rma,
                             private parts::PendingReplies,
                             private parts::LongNetwork {
 public:
  PortalsConduit(const job::Membership& membership, Receiver& receiver, const Settings& settings);
  ~PortalsConduit() override;

  Limits limits() const override;
  Post inject(RankId target, const Message& request) override;
  Post reply(const Origin& origin, const Message& reply) override;
  unsigned poll(Scope scope) override;
  void segments_attached(std::span<const SegmentBounds> segments) override;
  Doorbell* doorbell(RankId rank) override { return interface_.doorbell(rank); }
  Rma* rma() override { return this; }
  RankId borrower_of(std::uintptr_t address) override {
    return lent_ ? lent_->borrower_of(address) : kNoRank;
  }
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(*this); }

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;
  bool reaches_everything() const override { return settings_.everything; }

  const parts::Credits& credits() const { return credits_; }
  const parts::CreditPlan& plan() const { return plan_; }
  /// What this rank keeps for the requests of others: buffers, events, accounts.
  std::size_t receive_bytes() const {
    return plan_.receive_bytes + plan_.events * sizeof(ptl_event_t) +
           parts::Credits::bytes_per_peer() * membership_.size;
  }

 private:
  /// What one of our descriptors is, so that its events find their way. Buffers of requests know themselves.
  enum class Role : std::uint8_t { kRarAm, kRarSrc, kOverflow, kReqSb, kRplSb, kLocal };
  struct RoleMark {
    Role role;
  };

  /// A put or get of any length, in one part or in several.
  struct PutOrGet {
    RankId target = 0;
    bool is_get = false;
    std::uintptr_t remote = 0;
    std::uintptr_t local = 0;
    std::size_t bytes = 0;    // not yet begun
    std::uint32_t parts = 0;  // begun and not yet over, and one more until all have begun
    std::atomic<std::uint32_t>* unsent =
        nullptr;  // counts down the parts that still read the caller's memory
    Done done = nullptr;
    void* operation = nullptr;
    std::uint32_t name = 0;
    RemoteMemory::Pin pin{};  // of the next part, if that lies outside the target's segment
  };

  /// One Portals operation in flight.
  struct Part {
    PutOrGet* transfer = nullptr;    // null: a Long's payload
    LeavingLong* leaving = nullptr;  // that one
    bool reports_landing = false;    // it is to be told of both ends
    Held held;
    RemoteMemory::Borrowed borrowed;  // of the target, if it is not the segment
    std::atomic<std::uint32_t>* unsent = nullptr;
    void* destination = nullptr;  // of a get by way of a chunk
    std::uint8_t events = 0;      // still to come
    RankId awaited_peer = 0;      // who must answer, plus one; atomic, because others look
  };

  /// A request that is being handled: what its reply needs.
  struct ArrivedRequest : parts::DeliveredRequest {
    std::uint32_t chunk = 0;  // at the initiator
    parts::CreditByte credit;
    parts::ChunkPool::Offset reply_chunk = parts::ChunkPool::kNone;
    std::uint32_t tokens = 0;
  };

  // --- set-up (portals.cpp)
  void attach_message_entries();
  void attach_request_chunks();
  ptl_handle_me_t attach(ptl_pt_index_t entry, Selector selector);
  ptl_handle_md_t attach_memory(ptl_handle_me_t entry, void* start, std::size_t bytes, unsigned options,
                                Role role, ptl_handle_eq_t queue);

  // --- put and get (rma.cpp)
  Post begin(RankId target, bool is_get, std::uintptr_t remote, std::uintptr_t local, std::size_t bytes,
             std::atomic<std::uint32_t>* unsent, Done done, void* operation);
  /// kLacks: a resource of ours, which others that wait lack, too. kWaits: memory of the target.
  enum class Begun : std::uint8_t { kYes, kLacks, kWaits };
  Begun advance(PutOrGet& transfer);
  Begun begin_part(PutOrGet& transfer);
  void continue_transfers();
  void finish_part(std::uint32_t name, Part& part, bool is_send_end);
  void count_down(PutOrGet& transfer);

  // --- active messages (messages.cpp)
  struct Body {
    std::size_t bytes = 0;  // as it travels
    bool packed = false;
  };
  Body body_of(const Message& message) const;
  std::uint32_t fill(std::byte* chunk, const Message& message, const Body& body) const;
  void send_long(const Message& message, const ReadyHeader& header, Lid lid);
  void send_implicit_reply(ArrivedRequest& arrived);
  ReadyHeader reply_header(ArrivedRequest& arrived, const Message& reply, std::size_t bytes,
                           std::uint8_t flags, std::uint32_t other);
  void put_header(const ReadyHeader& header);
  void await(const std::atomic<std::uint32_t>& unsent);
  bool tells_of_payloads() const { return long_kind_ == parts::LongProtocolKind::kReassembly; }
  void serve(Spinning& spinning);
  // parts::LongNetwork
  parts::LongAbilities long_abilities() const override;
  Post put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override;
  void finished(parts::LongSend& send) override { leaving_longs_.give_back(static_cast<LeavingLong&>(send)); }

  void deliver(const HeaderBits& bits, bool is_reply, const std::byte* body, std::uint32_t length,
               const Origin& origin);

  // --- events (events.cpp)
  unsigned poll_safe(unsigned limit);
  unsigned poll_am(unsigned limit);
  unsigned poll_sys();
  bool take_am_event(ptl_event_t* event, RequestBuffers::Buffer** buffer);
  void safe_event(const ptl_event_t& event);
  void request_came(const ptl_event_t& event, ArrivedRequest& arrived);
  void reply_came(const ptl_event_t& event);
  void long_header_came(RankId source, Lid lid, const HeaderBits& bits, const std::byte* body,
                        ArrivedRequest* request);
  void long_payload_came(const ptl_event_t& event, ArrivedRequest* request);
  void handle_long(parts::LongArrival* complete, ArrivedRequest* request);
  bool equip(ArrivedRequest& arrived);
  void give_back(ArrivedRequest& arrived);
  void send_credits(RankId target, Control which, std::uint32_t argument, bool epoch_ended);
  void lend(RankId borrower, const ControlBits& bits, const LoanRange& range);
  void revoke(const parts::Credits::Revocations& revocations);

  // --- peers that may not answer any more (pending_replies.cpp)
  void settle() override {
    if (passed_am_) passed_am_->settle();
  }
  void list_unanswered(parts::PeerWatch::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

  static constexpr std::uint32_t kTokensForReply = 2;

  Settings settings_;
  job::Membership membership_;
  Receiver& receiver_;
  InterfaceClient interface_;
  parts::CreditPlan plan_;
  parts::Credits credits_;
  parts::SendTokens tokens_;
  parts::ChunkPool request_chunks_;              // ReqSB
  parts::ChunkPool reply_chunks_;                // RplSB
  std::vector<std::atomic<RankId>> chunk_peer_;  // to whom a chunk's request went, plus one; 0: no request
  parts::SharedPool<LeavingLong> leaving_longs_;
  parts::SharedPool<ArrivedLong> arrived_longs_;
  std::atomic<Lid> last_reply_lid_{0};
  parts::LongProtocolKind long_kind_;
  std::unique_ptr<parts::LongProtocol> long_;
  parts::OperationNames<Part> parts_;
  parts::OperationNames<PutOrGet> transfers_;

  RoleMark marks_[6] = {{Role::kRarAm}, {Role::kRarSrc}, {Role::kOverflow},
                        {Role::kReqSb}, {Role::kRplSb},  {Role::kLocal}};
  ptl_handle_md_t request_md_ = PTL_INVALID_HANDLE;
  ptl_handle_md_t reply_md_ = PTL_INVALID_HANDLE;
  ControlLine control_{interface_};
  // Stage hybrid: active messages go by message passing, and the buffers for them are not there.
  std::optional<parts::PortalsMpi> messages_;
  std::optional<parts::AmOverMessagePassing> passed_am_;
  std::optional<RequestBuffers> buffers_;
  std::optional<LocalMemory> local_;
  // Memory outside of segments, where everything can be reached.
  std::optional<LentMemory> lent_;
  std::optional<RemoteMemory> remote_;
  std::vector<SegmentBounds> segments_;

  SpinLock held_lock_;
  std::deque<ptl_event_t> held_events_;  // requests that must wait for those before them
  std::atomic<unsigned> held_count_{0};
  std::optional<parts::PortalsWatch> watch_;
  std::atomic<std::uint32_t> looks_{0};  // of list_unanswered()

  SpinLock unfinished_lock_;
  std::deque<std::uint32_t> unfinished_;  // transfers of which parts have not begun
  std::atomic<unsigned> unfinished_count_{0};
};

}  // namespace aqueduct::conduit::portals
