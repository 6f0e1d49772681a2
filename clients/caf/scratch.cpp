#include "clients/caf/scratch.hpp"

#include <cstdlib>

#include "clients/caf/error.hpp"

namespace aqueduct::caf {

Scratch::~Scratch() {
  while (pieces_) {
    Piece* const next = pieces_->next;
    std::free(pieces_);
    pieces_ = next;
  }
}

char* Scratch::take_from_heap(std::size_t bytes) {
  auto* const piece = static_cast<Piece*>(std::malloc(offsetof(Piece, memory) + bytes));
  if (!piece) fatal("a transfer", "no memory for %zu bytes", bytes);
  piece->next = pieces_;
  pieces_ = piece;
  return piece->memory;
}

}  // namespace aqueduct::caf
