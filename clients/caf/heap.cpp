#include "clients/caf/heap.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace aqueduct::caf {

SymmetricHeap symmetric_heap;
LocalHeap local_heap;

namespace {
constexpr std::size_t kLine = 64;
}

void* SymmetricHeap::allocate(std::size_t bytes, int depth) {
  if (bytes > bytes_) return nullptr;
  bytes = (std::max<std::size_t>(bytes, 1) + kLine - 1) / kLine * kLine;
  if (count_ == room_) {
    const std::size_t room = room_ ? 2 * room_ : 64;
    auto* const larger = static_cast<Block*>(std::realloc(blocks_, room * sizeof(Block)));
    if (!larger) return nullptr;
    blocks_ = larger;
    room_ = room;
  }
  std::size_t place = 0, offset = 0;
  while (place < count_ && blocks_[place].offset - offset < bytes) {
    offset = blocks_[place].offset + blocks_[place].bytes;
    ++place;
  }
  if (bytes_ - offset < bytes) return nullptr;
  std::memmove(blocks_ + place + 1, blocks_ + place, (count_ - place) * sizeof(Block));
  blocks_[place] = {offset, bytes, depth};
  ++count_;
  return memory_ + offset;
}

void SymmetricHeap::free(void* block) {
  const auto offset = static_cast<std::size_t>(static_cast<char*>(block) - memory_);
  Block* const found = std::lower_bound(blocks_, blocks_ + count_, offset,
                                        [](const Block& b, std::size_t wanted) { return b.offset < wanted; });
  if (found == blocks_ + count_ || found->offset != offset) return;  // freed at the end of its team already
  std::memmove(found, found + 1, static_cast<std::size_t>(blocks_ + count_ - found - 1) * sizeof(Block));
  --count_;
}

void SymmetricHeap::free_from(int depth) {
  count_ = static_cast<std::size_t>(
      std::remove_if(blocks_, blocks_ + count_, [depth](const Block& b) { return b.depth >= depth; }) -
      blocks_);
}

// Step 4e + q holds 2^e * (4 + q) / 4 bytes.
unsigned LocalHeap::step_of(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 16);
  const auto exponent = static_cast<unsigned>(std::bit_width(bytes)) - 1;
  const std::size_t quarter = std::size_t{1} << (exponent - 2);
  return 4 * exponent + static_cast<unsigned>((bytes - (std::size_t{1} << exponent) + quarter - 1) / quarter);
}
std::size_t LocalHeap::bytes_of(unsigned step) {
  const std::size_t exact = (std::size_t{1} << (step / 4 - 2)) * (4 + step % 4);
  return (exact + 15) / 16 * 16;
}

void* LocalHeap::allocate(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) / 4) return nullptr;
  const unsigned step = step_of(bytes);
  Header* header = free_[step];
  if (header) {
    free_[step] = header->next;
  } else {
    const std::size_t whole = sizeof(Header) + bytes_of(step);
    if (static_cast<std::size_t>(end_ - next_) < whole) return nullptr;
    header = reinterpret_cast<Header*>(next_);
    next_ += whole;
    header->step = step;
  }
  return header + 1;
}

void LocalHeap::free(void* block) {
  Header* const header = static_cast<Header*>(block) - 1;
  header->next = free_[header->step];
  free_[header->step] = header;
}

std::size_t LocalHeap::usable_bytes(const void* block) {
  return bytes_of(static_cast<unsigned>((static_cast<const Header*>(block) - 1)->step));
}

}  // namespace aqueduct::caf
