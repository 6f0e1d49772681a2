#include "job/place/core_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "base/types.hpp"

namespace aqueduct::job {
namespace {

/// A registered range; in use while `address` is set, which is stored last and cleared first, because a
/// signal handler may read it at any moment.
struct Kept {
  std::atomic<std::byte*> address{nullptr};
  std::atomic<bool> is_claimed{false};
  std::size_t bytes = 0;
  std::size_t offset = 0;
  int memory_fd = -1;
};
std::array<Kept, 64> all_kept;

/// Each extent splits a mapping in three, and a process may have 65530 of those.
constexpr int kMostExtents = 10'000;

void include_extents(std::byte* address, const Kept& kept, int* extents_left) {
  const auto begin = static_cast<off_t>(kept.offset);
  const auto end = static_cast<off_t>(kept.offset + kept.bytes);
  for (off_t at = begin; at<end&& * extents_left> 0; --*extents_left) {
    const off_t data = ::lseek(kept.memory_fd, at, SEEK_DATA);
    if (data < 0 || data >= end) return;
    off_t hole = ::lseek(kept.memory_fd, data, SEEK_HOLE);
    if (hole < 0 || hole > end) hole = end;
    ::madvise(address + (data - begin), static_cast<std::size_t>(hole - data), MADV_DODUMP);
    at = hole;
  }
}

}  // namespace

void keep_in_core_file(void* address, std::size_t bytes, int memory_fd, std::size_t offset) {
  for (Kept& kept : all_kept) {
    if (kept.is_claimed.exchange(true)) continue;
    kept.bytes = bytes;
    kept.offset = offset;
    kept.memory_fd = memory_fd;
    kept.address.store(static_cast<std::byte*>(address));
    return;
  }
}

void forget_in_core_file(std::size_t offset) {
  for (Kept& kept : all_kept) {
    if (!kept.address.load() || kept.offset != offset) continue;
    kept.address.store(nullptr);
    kept.is_claimed.store(false);
    return;
  }
}

void prepare_core_file() {
  int extents_left = kMostExtents;
  for (const Kept& kept : all_kept) {
    if (std::byte* const address = kept.address.load()) include_extents(address, kept, &extents_left);
  }
}

}  // namespace aqueduct::job
