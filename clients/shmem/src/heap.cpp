#include "heap.hpp"

#include <algorithm>

namespace aqshmem {

std::size_t Heap::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0 || bytes > kNone / 2) return kNone;
  alignment = std::max(alignment, kAlignment);
  const std::size_t taken = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    const std::size_t begin = block->first;
    const std::size_t end = begin + block->second;
    const std::size_t offset = (begin + alignment - 1) / alignment * alignment;
    if (offset > end || end - offset < taken) continue;
    if (offset == begin) {
      free_.erase(block);
    } else {
      block->second = offset - begin;
    }
    if (offset + taken != end) free_[offset + taken] = end - offset - taken;
    used_[offset] = {bytes, taken};
    return offset;
  }
  return kNone;
}

std::size_t Heap::reallocate(std::size_t offset, std::size_t bytes) {
  const std::size_t elsewhere = allocate(bytes);
  if (elsewhere != kNone) {
    release(offset);
    return elsewhere;
  }
  const Heap before = *this;
  release(offset);
  const std::size_t around = allocate(bytes);
  if (around == kNone) *this = before;
  return around;
}

bool Heap::release(std::size_t offset) {
  const auto found = used_.find(offset);
  if (found == used_.end()) return false;
  std::size_t begin = offset;
  std::size_t bytes = found->second.taken;
  used_.erase(found);
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == begin + bytes) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
    }
  }
  free_[begin] = bytes;
  return true;
}

std::size_t Heap::bytes_of(std::size_t offset) const {
  const auto found = used_.find(offset);
  return found == used_.end() ? 0 : found->second.asked;
}

bool Heap::holds(std::size_t offset, std::size_t bytes) const {
  auto block = used_.upper_bound(offset);
  if (block == used_.begin()) return false;
  --block;
  return offset - block->first <= block->second.asked &&
         bytes <= block->second.asked - (offset - block->first);
}

std::size_t Heap::free_bytes() const {
  std::size_t bytes = 0;
  for (const auto& block : free_) bytes += block.second;
  return bytes;
}

}  // namespace aqshmem
