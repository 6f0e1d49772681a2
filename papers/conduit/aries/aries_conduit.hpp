// The aries conduit, composed of its parts; aries.hpp describes how they work.
#pragma once
#include "papers/conduit/aries/atomics.hpp"
#include "papers/conduit/aries/messages.hpp"
#include "papers/conduit/aries/silent_peers.hpp"

namespace aqueduct::conduit::aries {

class AriesConduit final : public Conduit {
 public:
  AriesConduit(const AriesSettings& settings, const Opening& opening)
      : endpoint_(settings, parts::choose_long_protocol(kName, Longs::abilities()), opening) {}

  Limits limits() const override { return endpoint_.settings.limits(); }
  Post inject(RankId target, const Message& request) override { return messages_.inject(target, request); }
  Post reply(const Origin& origin, const Message& reply) override { return messages_.reply(origin, reply); }
  unsigned poll(Scope scope) override;

  std::vector<std::byte> export_segment(const SegmentBounds& mine) override {
    return endpoint_.export_segment(mine);
  }
  void withdraw_segment() override { endpoint_.withdraw_segment(); }
  void import_segments(const SegmentKeys& keys) override { endpoint_.keys = keys; }
  void segments_attached(std::span<const SegmentBounds> segments) override {
    endpoint_.segments_attached(segments);
  }

  Doorbell* doorbell(RankId rank) override { return ugni::doorbell_of(rank); }
  void finish_sending(std::uint64_t most_ns) override;
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(pending_); }
  void count_resources(observe::ResourceCounts& counts) override;
  Rma* rma() override { return &transfers_; }
  Atomics* atomics() override { return &atomics_; }

  /// The memory that incomplete Longs have needed here: the protocol's, and records of messages.
  parts::LongMemory long_memory() const { return messages_.long_memory(); }

 private:
  /// With the lock held. Returns the number of events.
  unsigned progress();

  Endpoint endpoint_;
  PutsAndGets transfers_{endpoint_, [this] { progress(); }};
  NicAtomics atomics_{endpoint_, transfers_};
  Messages messages_{endpoint_, transfers_, [this] { progress(); }};
  Pending pending_{endpoint_, messages_};
  Watch watch_{endpoint_, pending_};
};

}  // namespace aqueduct::conduit::aries
