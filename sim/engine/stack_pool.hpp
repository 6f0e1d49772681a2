// Stacks for fibers, cut from large blocks of address space and reused when a fiber has ended. Only pages
// that a fiber has touched cost memory.
//
// Below each stack is a page that no fiber may touch. As long as the system allows enough mappings
// (vm.max_map_count; each such page costs two) the page is inaccessible, so that a fiber that overflows its
// stack faults there. Otherwise it is a red zone: it stays zero and costs no memory unless a fiber overflows,
// and has_overflowed() sees what was written. The code that switches fibers checks this after each turn,
// before an overflow beyond the red zone could harm another fiber.
#pragma once
#include <cstddef>
#include <vector>

namespace aqueduct::sim {

struct Stack {
  void* top = nullptr;
  std::size_t bytes = 0;
  bool guarded = true;  ///< by an inaccessible page

  std::byte* bottom() const { return static_cast<std::byte*>(top) - bytes; }
};

class StackPool {
 public:
  /// At most `most_guarded` stacks get an inaccessible page.
  explicit StackPool(std::size_t stack_bytes, std::size_t most_guarded = affordable_guards());
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Ends the program with one line if the address space is used up.
  Stack take();
  void give_back(const Stack& stack) { free_.push_back(stack); }

  /// Whether something was written to the red zone of a stack that is not guarded.
  static bool has_overflowed(const Stack& stack);

  /// How many inaccessible pages leave half of the system's mappings to others.
  static std::size_t affordable_guards();

 private:
  static constexpr std::size_t kStacksPerBlock = 256;

  std::size_t stack_bytes_;
  std::size_t guards_left_;
  std::size_t uncut_ = 0;  // stacks of the last block that were never taken
  std::vector<std::byte*> blocks_;
  std::vector<Stack> free_;
};

}  // namespace aqueduct::sim
