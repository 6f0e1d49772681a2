// The registration of this rank's segment, and the keys by which those of others are reached.
//
// A rank exports the address at which its segment begins for peers (its own where the provider addresses
// memory so, else 0) and the key; or what libfabric makes of both where keys are raw. A peer's is looked up
// when it is needed; raw keys are kept once they are mapped. Not thread-safe.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "conduit/ofi/network.hpp"

namespace aqueduct::conduit::ofi {

class SegmentRegistration {
 public:
  explicit SegmentRegistration(Network& network) : network_(network) {}
  ~SegmentRegistration() { withdraw(); }
  SegmentRegistration(const SegmentRegistration&) = delete;
  SegmentRegistration& operator=(const SegmentRegistration&) = delete;

  /// Ends the job with one line if it cannot be registered.
  std::vector<std::byte> export_segment(const SegmentBounds& mine);
  void withdraw();
  void import(const SegmentKeys& keys) { keys_ = keys; }
  void set_bounds(std::span<const SegmentBounds> segments) { segments_ = segments; }

  /// That address of a peer, which must lie in its segment.
  RemoteMemory remote(RankId peer, std::uintptr_t address);
  /// The registration of our own segment, if all of this lies in it; else null.
  fid_mr* local(std::uintptr_t address, std::size_t bytes) const {
    return registration_ && mine_.contains(address, bytes) ? registration_ : nullptr;
  }

 private:
  struct Exported {
    std::uint64_t base = 0;
    std::uint64_t key = 0;
  };

  Exported peer_key(RankId peer);

  Network& network_;
  SegmentBounds mine_;
  fid_mr* registration_ = nullptr;
  SegmentKeys keys_;
  std::span<const SegmentBounds> segments_;
  std::unordered_map<RankId, Exported> mapped_;  // raw keys
};

}  // namespace aqueduct::conduit::ofi
