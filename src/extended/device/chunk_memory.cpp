#include "extended/device/chunk_memory.hpp"

#include <sys/mman.h>

#include "base/fatal.hpp"

namespace aqueduct::extended::device_memory {
namespace {

constexpr std::size_t kOwnBytes = std::size_t{8} << 20;

void* new_memory(std::size_t bytes) {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

}  // namespace

ChunkMemory::~ChunkMemory() {
  for (std::byte* const other : others_) ::munmap(other, kBytes);
  if (is_own_) ::munmap(range_.base, range_.bytes);
}

void ChunkMemory::open(const device::HostRange& room) {
  range_ = room;
  if (room.bytes < kBytes) {
    void* const own = new_memory(kOwnBytes);
    if (own == MAP_FAILED) fatal("device", "no %zu bytes of memory for what devices send", kOwnBytes);
    range_ = {static_cast<std::byte*>(own), kOwnBytes};
    is_own_ = true;
  }
  for (std::size_t i = count(); i-- > 0;) free_.push_back(range_.base + i * kBytes);
}

std::byte* ChunkMemory::take() {
  if (free_.empty()) return nullptr;
  std::byte* const chunk = free_.back();
  free_.pop_back();
  return chunk;
}

void ChunkMemory::replace_one() {
  void* const other = new_memory(kBytes);
  if (other == MAP_FAILED) return;
  others_.push_back(static_cast<std::byte*>(other));
  free_.push_back(others_.back());
}

}  // namespace aqueduct::extended::device_memory
