// A bridge without a boundary to cross, for tests: all memory is good, and waiting polls the NAL with the
// wait policy of base/wait_policy.hpp.
#pragma once
#include "base/clock.hpp"
#include "base/wait_policy.hpp"
#include "papers/nic/portals3/bridge.hpp"

namespace aqueduct::portals3 {

class DirectBridge : public Bridge {
 public:
  DirectBridge(Identity identity, WaitPolicy wait_policy, Clock& clock);

  Identity identity() const override { return identity_; }
  int validate(std::span<const Piece> pieces, MemoryKey& key) override;
  void invalidate(MemoryKey key) override;
  std::uint64_t now_ns() override;
  void wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override;

 private:
  Identity identity_;
  WaitPolicy wait_policy_;
  Clock& clock_;
};

}  // namespace aqueduct::portals3
