#include "extended/operation.hpp"

namespace aqueduct::extended {

Operation* OperationPool::take() {
  if (!free_) free_ = returned_.exchange(nullptr, std::memory_order_acquire);
  if (!free_) {
    constexpr std::size_t kBlock = 64;
    blocks_.push_back(std::make_unique<Operation[]>(kBlock));
    for (std::size_t i = 0; i < kBlock; ++i) {
      Operation& operation = blocks_.back()[i];
      operation.home = this;
      operation.next_free = free_;
      free_ = &operation;
    }
  }
  Operation* operation = free_;
  free_ = operation->next_free;
  operation->test = nullptr;
  operation->live.store(true, std::memory_order_relaxed);
  return operation;
}

void OperationPool::give_back(Operation* operation) {
  operation->live.store(false, std::memory_order_relaxed);
  std::atomic<Operation*>& stack = operation->home->returned_;
  Operation* top = stack.load(std::memory_order_relaxed);
  do {
    operation->next_free = top;
  } while (
      !stack.compare_exchange_weak(top, operation, std::memory_order_release, std::memory_order_relaxed));
}

}  // namespace aqueduct::extended
