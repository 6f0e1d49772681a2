// A plug-in that exchanges addresses when it opens and exports keys for segments, of which it checks that all
// arrive, at once and again when it first talks to a rank. What it sends goes by wire.
//
// Says on stdout, one line each: "keyed: rank R has the key of rank P, B bytes" when it first talks to P, and
// "keyed: rank R withdraws" where another rank could not attach. What is wrong ends the job.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "base/fatal.hpp"
#include "conduit/over_port.hpp"
#include "conduit/plugin/plugin.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit {
namespace {

// Ranks 0, 3, ... have none; those of 1, 4, ... are large.
std::vector<std::byte> key_of(RankId rank) {
  constexpr std::size_t kSizes[] = {0, 1000, 17};
  std::vector<std::byte> key(kSizes[rank % 3]);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i * 13 + rank);
  return key;
}

class Keyed final : public Conduit {
 public:
  explicit Keyed(const Opening& opening)
      : place_(opening.place),
        wire_(over_port("keyed", opening.world.open_port(fabric::Plane{}, fabric::Carrier::kAny),
                        opening.receiver)) {
    const RankId address = 1000 + place_.rank;
    opening.bootstrap.all_gather(address, [](RankId peer, RankId theirs) {
      if (theirs != 1000 + peer) fatal("keyed", "the address of rank %u is said to be %u", peer, theirs);
    });
  }

  Limits limits() const override { return wire_->limits(); }
  Post reply(const Origin& origin, const Message& reply) override { return wire_->reply(origin, reply); }
  unsigned poll(Scope scope) override { return wire_->poll(scope); }
  Doorbell* doorbell(RankId rank) override { return wire_->doorbell(rank); }
  // Where the test wants a leak, each request is said to leave something.
  void count_resources(observe::ResourceCounts& counts) override {
    wire_->count_resources(counts);
    counts.holds("things that a test leaves", std::getenv("AQUEDUCT_TEST_LEAK") ? injected_ : 0);
  }

  Post inject(RankId target, const Message& request) override {
    if (has_keys_ && imported_.insert(target).second) {
      check(target);
      std::printf("keyed: rank %u has the key of rank %u, %zu bytes\n", place_.rank, target,
                  keys_[target].size());
    }
    ++injected_;
    return wire_->inject(target, request);
  }

  std::vector<std::byte> export_segment(const SegmentBounds& mine) override {
    if (mine.size == 0) fatal("keyed", "an empty segment is exported");
    return key_of(place_.rank);
  }
  void withdraw_segment() override { std::printf("keyed: rank %u withdraws\n", place_.rank); }
  void import_segments(const SegmentKeys& keys) override {
    keys_ = keys;
    has_keys_ = true;
    for (RankId peer = 0; peer < place_.size; ++peer) check(peer);
  }
  void segments_attached(std::span<const SegmentBounds> segments) override {
    if (place_.size > 1 && !has_keys_) fatal("keyed", "segments are attached without keys");
    wire_->segments_attached(segments);
  }

 private:
  void check(RankId peer) const {
    const job::Bytes found = keys_[peer];
    const std::vector<std::byte> expected = key_of(peer);
    if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end()))
      fatal("keyed", "the key of rank %u has come with %zu bytes, and wrong", peer, found.size());
  }

  const job::Membership& place_;
  std::unique_ptr<Conduit> wire_;
  SegmentKeys keys_;
  bool has_keys_ = false;
  std::set<RankId> imported_;
  std::uint64_t injected_ = 0;
};

const Description kDescription = {
    .name = "keyed",
    .summary = "wire with keys for segments, for a test",
    .uses_neighbourhood = false,
    .max_ranks = job::kMaxRanks,
    .preference = 0,
    .open = [](const Opening& opening) -> std::unique_ptr<Conduit> {
      return std::make_unique<Keyed>(opening);
    },
    .limits = [] { return kLimitsOverPort; },
};

}  // namespace
}  // namespace aqueduct::conduit

AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::kDescription);
