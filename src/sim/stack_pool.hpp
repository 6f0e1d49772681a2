// Stacks for fibers: address space with an inaccessible page below each, reused when a fiber has ended.
// Only pages that a fiber has touched cost memory.
#pragma once
#include <cstddef>
#include <vector>

namespace aqueduct::sim {

struct Stack {
  void* top = nullptr;
  std::size_t bytes = 0;
};

class StackPool {
 public:
  explicit StackPool(std::size_t stack_bytes);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Ends the program with one line if the address space is used up.
  Stack take();
  void give_back(Stack stack) { free_.push_back(stack.top); }

 private:
  static constexpr std::size_t kStacksPerBlock = 64;

  std::size_t stack_bytes_;
  std::vector<void*> blocks_;
  std::vector<void*> free_;  // tops
};

}  // namespace aqueduct::sim
