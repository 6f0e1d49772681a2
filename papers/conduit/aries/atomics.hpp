// Atomics that the interface performs: the offload table of aries-conduit.
#pragma once
#include "papers/conduit/aries/rma.hpp"

namespace aqueduct::conduit::aries {

class NicAtomics final : public Atomics {
 public:
  NicAtomics(Endpoint& endpoint, PutsAndGets& transfers) : endpoint_(endpoint), transfers_(transfers) {}

  bool has(AtomicType type, AtomicAction action) override;
  Post start(const AtomicRequest& request, Done done, void* operation) override;

 private:
  Endpoint& endpoint_;
  PutsAndGets& transfers_;
};

}  // namespace aqueduct::conduit::aries
