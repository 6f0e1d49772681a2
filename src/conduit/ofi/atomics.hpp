// Atomics that the provider does, of domains that favour remote ranks. All take the form that fetches, whose
// completion says that they are done; operands and what was there before are in a bounce buffer.
#pragma once
#include "conduit/ofi/endpoint.hpp"
#include "parts/pool.hpp"

namespace aqueduct::conduit::ofi {

class ProviderAtomics final : public Atomics, private OperationHandler {
 public:
  explicit ProviderAtomics(Endpoint& endpoint) : endpoint_(endpoint) {}

  bool has(AtomicType type, AtomicAction action) override;
  Post start(const AtomicRequest& request, Done done, void* operation) override;
  std::size_t under_way() const { return parts_.lent(); }

 private:
  struct Part : Operation {
    Buffer* bounce = nullptr;
    void* before = nullptr;  ///< where the client wants what was there
    std::size_t bytes = 0;
    Done done = nullptr;
    void* operation = nullptr;
  };

  const char* what() const override { return "an atomic operation"; }
  void completed(Operation& operation, const Completion& completion) override;

  Endpoint& endpoint_;
  parts::Pool<Part> parts_;
};

}  // namespace aqueduct::conduit::ofi
