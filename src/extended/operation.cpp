#include "extended/operation.hpp"

namespace aqueduct::extended {

Operation* OperationPool::take() {
  Operation* operation = records_.take();
  operation->test = nullptr;
  operation->nature = OpNature::kTransfers;
  operation->peer = 0;
  operation->live.store(true, std::memory_order_relaxed);
  const std::uint8_t use = operation->use.load(std::memory_order_relaxed);
  operation->use.store((use + 1) % kUses, std::memory_order_relaxed);
  return operation;
}

void OperationPool::give_back(Operation* operation) {
  operation->live.store(false, std::memory_order_relaxed);
  ReturnPool<Operation>::give_back(operation);
}

}  // namespace aqueduct::extended
