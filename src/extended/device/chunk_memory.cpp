#include "extended/device/chunk_memory.hpp"

#include <sys/mman.h>

#include "base/fatal.hpp"

namespace aqueduct::extended::device_memory {
namespace {

constexpr std::size_t kOwnBytes = std::size_t{8} << 20;

}  // namespace

ChunkMemory::~ChunkMemory() {
  if (is_own_) ::munmap(range_.base, range_.bytes);
}

void ChunkMemory::open(const device::HostRange& room) {
  range_ = room;
  if (room.bytes < kBytes) {
    void* const own = ::mmap(nullptr, kOwnBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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

}  // namespace aqueduct::extended::device_memory
