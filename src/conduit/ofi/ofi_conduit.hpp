// The conduit over libfabric, of its parts: an endpoint with what all of them share, messages with their
// Longs, puts and gets, also of memory on devices, atomics, and a watch that knows whose answers are missing.
// docs/ofi.md says which path it takes with which provider.
//
// Threads: any. One lock, the endpoint's, is held over every call of libfabric, and while nothing is
// delivered.
#pragma once
#include "conduit/ofi/atomics.hpp"
#include "conduit/ofi/device_memory.hpp"
#include "conduit/ofi/messages.hpp"
#include "conduit/ofi/rma.hpp"
#include "parts/pending_replies.hpp"

namespace aqueduct::conduit::ofi {

/// Whose replies or credits are missing.
class Unanswered final : public parts::PendingReplies {
 public:
  Unanswered(Endpoint& endpoint, Messages& messages) : endpoint_(endpoint), messages_(messages) {}
  void list_unanswered(parts::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

 private:
  Endpoint& endpoint_;
  Messages& messages_;
};

class OfiConduit final : public Conduit {
 public:
  OfiConduit(const Settings& settings, Provider provider, const Opening& opening)
      : endpoint_(settings, std::move(provider), opening) {}

  Limits limits() const override { return endpoint_.limits; }
  Post inject(RankId target, const Message& request) override { return messages_.inject(target, request); }
  Post reply(const Origin& origin, const Message& reply) override { return messages_.reply(origin, reply); }
  unsigned poll(Scope scope) override;

  std::vector<std::byte> export_segment(const SegmentBounds& mine) override;
  void withdraw_segment() override;
  void import_segments(const SegmentKeys& keys) override;
  void segments_attached(std::span<const SegmentBounds> segments) override;

  int wake_descriptor() override { return endpoint_.network.wake_descriptor(); }
  bool may_sleep() override;
  void finish_sending(std::uint64_t most_ns) override;
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(unanswered_); }
  void count_resources(observe::ResourceCounts& counts) override;

  Rma* rma() override {
    return endpoint_.has_segments && endpoint_.properties().puts_and_gets() ? &transfers_ : nullptr;
  }
  Atomics* atomics() override { return endpoint_.properties().has_atomics ? &atomics_ : nullptr; }
  DeviceTransfers* device_transfers() override {
    const bool must = endpoint_.settings.devices == DevicePath::kDirect;  // or ends the job
    return must || endpoint_.properties().device_memory ? &devices_ : nullptr;
  }

 private:
  /// With the lock held. How many of our own operations have completed.
  std::size_t progress(Arrivals& arrivals);
  /// The same, and keeps what has come: nothing is delivered.
  void serve();

  Endpoint endpoint_;
  Messages messages_{endpoint_, [this] { serve(); }};
  PutsAndGets transfers_{endpoint_, messages_.small_transfers(), [this] { serve(); }};
  ProviderAtomics atomics_{endpoint_};
  DeviceMemory devices_{endpoint_, transfers_};
  Unanswered unanswered_{endpoint_, messages_};
};

}  // namespace aqueduct::conduit::ofi
