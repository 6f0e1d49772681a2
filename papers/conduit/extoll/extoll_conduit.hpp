// The extoll conduit, composed of its parts; extoll.hpp describes how they work.
#pragma once
#include "papers/conduit/extoll/messages.hpp"
#include "papers/conduit/extoll/silent_peers.hpp"

namespace aqueduct::conduit::extoll {

class ExtollConduit final : public Conduit {
 public:
  ExtollConduit(const ExtollSettings& settings, const Opening& opening)
      : endpoint_(settings, parts::choose_long_protocol(kName, Longs::abilities()), opening) {}

  Limits limits() const override { return ExtollSettings::limits(); }
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

  Doorbell* doorbell(RankId rank) override { return aqueduct::extoll::doorbell_of(rank); }
  void finish_sending(std::uint64_t most_ns) override;
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(pending_); }
  void count_resources(observe::ResourceCounts& counts) override;
  conduit::Rma* rma() override { return &transfers_; }

 private:
  // With the lock held. Both return the number of events.
  unsigned progress();
  unsigned take_notices();

  Endpoint endpoint_;
  PutsAndGets transfers_{endpoint_, [this] { progress(); }};
  Messages messages_{endpoint_, transfers_, [this] { progress(); }};
  Pending pending_{endpoint_, messages_};
  Watch watch_{endpoint_, pending_};
};

}  // namespace aqueduct::conduit::extoll
