// Memory for the time of one statement: some bytes on the stack, then the heap. Ends the job if there is
// none.
#pragma once
#include <cstddef>

namespace aqueduct::caf {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Aligned to 16 bytes.
  char* take(std::size_t bytes) {
    const std::size_t rounded = (bytes + 15) & ~std::size_t{15};
    if (rounded > sizeof inline_ - used_) return take_from_heap(rounded);
    char* const taken = inline_ + used_;
    used_ += rounded;
    return taken;
  }

 private:
  struct Piece {
    Piece* next;
    alignas(16) char memory[1];
  };
  char* take_from_heap(std::size_t bytes);

  Piece* pieces_ = nullptr;
  std::size_t used_ = 0;
  alignas(16) char inline_[512];
};

}  // namespace aqueduct::caf
