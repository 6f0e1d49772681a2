// Active messages over Portals: requests from chunks of ReqSB into the target's request buffers, replies back
// into those chunks (portals.hpp).
//
// inject() and reply() reserve all resources of a message before they begin it, and return kRetry if one is
// missing: nothing waits here.
//
// Threads: any.
#pragma once
#include <atomic>
#include <deque>
#include <optional>
#include <vector>

#include "papers/conduit/portals/control_line.hpp"
#include "papers/conduit/portals/long_messages.hpp"
#include "papers/conduit/portals/request_buffers.hpp"
#include "papers/parts/credit_plan.hpp"
#include "papers/parts/credits.hpp"

namespace aqueduct::conduit::portals {

class Messages final : private ControlHandler, private RequestBuffers::Reader {
 public:
  /// Attaches the descriptors of messages in the order of their match list: SYS, the request buffers, the
  /// overflow entry, ReqSB.
  Messages(PortalsPort& port, Operations& operations, PutsAndGets& progress, ControlLine& control,
           parts::Credits& credits, const parts::CreditPlan& plan);

  Post inject(RankId target, const Message& request);
  Post reply(const Origin& origin, const Message& reply);
  /// Takes control messages, and requests if `scope` includes them.
  unsigned poll(Scope scope);
  /// Continues Longs that have found no room.
  void poll_longs() { longs_.poll(); }

  void count_resources(observe::ResourceCounts& counts) const;

  /// Handlers of the segment's descriptors, to which payloads of Longs are put.
  AmEvents& request_payloads() { return request_payloads_; }
  SafeEvents& reply_payloads() { return reply_payloads_; }

  // For reports: the peers whose replies are missing. Each `look` begins at another peer.
  void list_unanswered(parts::ProbeList& peers, std::uint32_t look) const;
  unsigned replies_missing_from(RankId peer) const;

 private:
  struct Body {
    std::size_t bytes = 0;  // as it travels
    bool packed = false;
  };
  /// The resources of a request, reserved before it begins and held until it is answered.
  struct Means {
    std::uint32_t tokens = 0;
    parts::ChunkPool::Offset chunk = parts::ChunkPool::kNone;
    parts::CreditByte credit;
    HeldMemory payload;  // of a Long whose payload travels by itself
  };

  // --- sending (messages.cpp)
  Body body_of(const Message& message) const;
  std::uint32_t fill(std::byte* chunk, const Message& message, const Body& body) const;
  bool take_means(RankId target, const Message& request, bool apart, unsigned credits, Means* means);
  void send_implicit_reply(ArrivedRequest& arrived);
  ReadyHeader reply_header(ArrivedRequest& arrived, const Message& reply, std::size_t bytes,
                           std::uint8_t flags, std::uint32_t other);
  void send_credits(RankId target, Control which, std::uint32_t argument, bool epoch_ended);

  // --- what comes (arrivals.cpp)
  unsigned poll_requests(unsigned limit);
  bool equip(ArrivedRequest& arrived);
  void give_back(ArrivedRequest& arrived);
  bool take_event(ptl_event_t* event);
  void deliver(const HeaderBits& bits, bool is_reply, const std::byte* body, std::uint32_t length,
               const Origin& origin);
  void request_came(const ptl_event_t& event, ArrivedRequest& arrived) override;
  void reply_came(const ptl_event_t& event);
  void deliver_long(ArrivedLong* complete, ArrivedRequest* request);
  void told(RankId sender, const ControlBits& bits, ptl_hdr_data_t data) override;

  // Events of descriptors.
  void request_chunk_event(const ptl_event_t& event);
  void reply_chunk_event(const ptl_event_t& event);
  void reply_payload_event(const ptl_event_t& event);
  void overflow_event(const ptl_event_t& event);
  class RequestPayloads final : public AmEvents {
   public:
    explicit RequestPayloads(Messages& messages) : messages_(messages) {}
    void happened(const ptl_event_t& event, ArrivedRequest& arrived) override;

   private:
    Messages& messages_;
  };

  static constexpr std::uint32_t kTokensForReply = 2;

  PortalsPort& port_;
  Operations& operations_;
  ControlLine& control_;
  parts::Credits& credits_;
  Longs longs_;
  parts::ChunkPool reply_chunks_;                // RplSB
  std::vector<std::atomic<RankId>> chunk_peer_;  // to whom a chunk's request went, plus one; 0: no request
  std::atomic<Lid> last_reply_lid_{0};
  ptl_handle_md_t reply_md_ = PTL_INVALID_HANDLE;

  CallsForSafe<&Messages::request_chunk_event, Messages> request_chunk_events_{*this};
  CallsForSafe<&Messages::reply_chunk_event, Messages> reply_chunk_events_{*this};
  CallsForSafe<&Messages::reply_payload_event, Messages> reply_payloads_{*this};
  CallsForSafe<&Messages::overflow_event, Messages> overflow_events_{*this};
  RequestPayloads request_payloads_{*this};
  std::optional<RequestBuffers> buffers_;

  SpinLock held_lock_;
  std::deque<ptl_event_t> held_events_;  // requests that wait for those before them
  std::atomic<unsigned> held_count_{0};
};

}  // namespace aqueduct::conduit::portals
