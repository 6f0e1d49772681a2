// The Portals conduit, composed of its parts; portals.hpp says how it works.
//
// The parts are a port (port.hpp), operations in flight, puts and gets, messages with their Longs, loans of
// memory, and a watch.
#pragma once
#include <atomic>
#include <optional>

#include "papers/conduit/portals/lent_memory.hpp"
#include "papers/conduit/portals/messages.hpp"
#include "papers/parts/am_over_message_passing.hpp"
#include "papers/parts/message_passing/portals_mpi.hpp"

namespace aqueduct::conduit::portals {

class PortalsConduit final : public Conduit {
 public:
  PortalsConduit(const job::Membership& membership, Receiver& receiver, const PortalsSettings& settings);
  ~PortalsConduit() override;

  Limits limits() const override;
  Post inject(RankId target, const Message& request) override {
    return passed_ ? passed_->am.inject(target, request) : messages_->inject(target, request);
  }
  Post reply(const Origin& origin, const Message& reply) override {
    return passed_ ? passed_->am.reply(origin, reply) : messages_->reply(origin, reply);
  }
  unsigned poll(Scope scope) override;
  void segments_attached(std::span<const SegmentBounds> segments) override;
  Doorbell* doorbell(RankId rank) override { return port_.interface.doorbell(rank); }
  Rma* rma() override { return &puts_and_gets_; }
  RankId borrower_of(std::uintptr_t address) override {
    return lent_ ? lent_->borrower_of(address) : kNoRank;
  }
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(pending_); }

  void count_resources(observe::ResourceCounts& counts) override;

  const parts::Credits& credits() const { return credits_; }
  const parts::CreditPlan& plan() const { return plan_; }
  /// The memory of this rank for the requests of others: buffers, events, accounts of credits.
  std::size_t receive_bytes() const {
    return plan_.receive_bytes + plan_.events * sizeof(ptl_event_t) +
           parts::Credits::bytes_per_peer() * port_.membership.size;
  }

 private:
  /// Lists peers whose answers are missing: a reply to a request, an acknowledgement or reply of Portals, a
  /// loan of memory, and in stage hybrid what message passing waits for.
  class Pending final : public parts::PendingReplies {
   public:
    explicit Pending(PortalsConduit& conduit) : conduit_(conduit) {}
    void settle() override {
      if (conduit_.passed_) conduit_.passed_->am.settle();
    }
    void list_unanswered(parts::ProbeList& peers) override;
    std::string missing_from(RankId peer) override;

   private:
    PortalsConduit& conduit_;
    std::atomic<std::uint32_t> looks_{0};  // of list_unanswered()
  };

  /// Stage hybrid: active messages go by message passing.
  struct PassedMessages {
    explicit PassedMessages(PortalsPort& port);
    parts::PortalsMpi messages;
    parts::AmOverMessagePassing am;
  };

  PortalsPort port_;
  const parts::CreditPlan plan_;
  parts::Credits credits_;
  Pending pending_{*this};
  ControlLine control_{port_};
  Operations operations_{port_};
  PutsAndGets puts_and_gets_{port_, operations_, control_};
  std::optional<Messages> messages_;  // one of these two
  std::optional<PassedMessages> passed_;
  // Memory outside of segments, if the settings allow access to everything.
  std::optional<LentMemory> lent_;
  std::optional<RemoteMemory> remote_;
};

}  // namespace aqueduct::conduit::portals
