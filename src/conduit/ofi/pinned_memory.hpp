// Memory of clients that is registered for transfers where the provider asks for that: through a cache of
// registrations (parts/firehose.hpp).
//
// Threads: with the endpoint's lock held.
#pragma once
#include <memory>

#include "conduit/ofi/network.hpp"
#include "parts/firehose.hpp"

namespace aqueduct::conduit::ofi {

class PinnedMemory final : private parts::Firehose::Client {
 public:
  /// What an operation holds until it is over.
  using Pin = parts::Firehose::Request;

  PinnedMemory(Network& network, const Settings& settings);

  /// Registers the beginning of `*memory` and shortens it to that. False: it must be copied.
  bool pin(LocalMemory* memory, Pin* pin);
  void release(Pin* pin) {
    if (!pin->region) return;
    --held_;
    firehose_->release(pin);
  }
  /// Registrations in use by operations, each as often as it is.
  std::size_t held() const { return held_; }

 private:
  parts::Firehose::Moved move(std::span<parts::Firehose::Region> unpinned,
                              parts::Firehose::Region& pin) override;
  void unpin(std::span<parts::Firehose::Region> regions) override;

  Network& network_;
  std::size_t held_ = 0;
  std::unique_ptr<parts::Firehose> firehose_;  // null: all is copied
};

}  // namespace aqueduct::conduit::ofi
