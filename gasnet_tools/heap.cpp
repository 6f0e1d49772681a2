#include "aqueduct/tools/heap.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "aqueduct/tools/environment.h"
#include "gasnet_tools/failure.hpp"
#include "gasnet_tools/heap_fill.hpp"
#include "gasnet_tools/heap_report.hpp"

namespace aqueduct::gasnet_tools {
namespace {

constexpr int kLockAttempts = 100;
constexpr useconds_t kLockPauseUs = 1000;
constexpr std::uint64_t kLive = 0x65766c6f7620656du;  // in front of a live block
constexpr std::uint64_t kDead = 0x6d6f727420746f64u;  // in front of a freed one that was kept
constexpr std::uint64_t kEnd = 0x646e652065687420u;   // behind every block

/// The head in front of a block's memory; kEnd follows the memory, at any address.
struct alignas(2 * sizeof(void*)) Block {
  Block* previous = nullptr;
  Block* next = nullptr;
  std::size_t bytes = 0;
  const char* allocated_at = nullptr;
  const char* freed_at = nullptr;
  std::uint64_t mark = kLive;

  void* memory() { return this + 1; }
  unsigned char* end() { return static_cast<unsigned char*>(memory()) + bytes; }
};
constexpr std::size_t kOverhead = sizeof(Block) + sizeof kEnd;

/// A list in the order of arrival.
struct List {
  Block* first = nullptr;
  Block* last = nullptr;

  void append(Block* block) {
    block->previous = last;
    block->next = nullptr;
    (last != nullptr ? last->next : first) = block;
    last = block;
  }
  void remove(Block* block) {
    (block->previous != nullptr ? block->previous->next : first) = block->next;
    (block->next != nullptr ? block->next->previous : last) = block->previous;
  }
};

class Heap {
 public:
  Heap() {
    scans_freed_ = flag("GASNET_MALLOC_SCANFREED");
    leaks_ = flag("GASNET_MALLOC_LEAKALL") || scans_freed_;
    clobbers_ = flag("GASNET_MALLOC_CLOBBER") || scans_freed_;
    inits_ = flag("GASNET_MALLOC_INIT");
    checks_often_ = flag("GASNET_MALLOC_EXTRACHECK");
  }

  void* allocate(std::size_t bytes, const char* here) {
    const std::size_t whole = bytes + kOverhead;
    void* raw = whole > bytes ? std::malloc(whole) : nullptr;
    if (raw == nullptr) {
      fail("gasnett_debug_malloc", here, "no memory for %zu bytes; %" PRIu64 " are in use", bytes,
           stats_.live_bytes);
    }
    auto* block = new (raw) Block;
    block->bytes = bytes;
    block->allocated_at = here;
    std::memcpy(block->end(), &kEnd, sizeof kEnd);
    if (inits_) init_fill_.write(block->memory(), bytes);
    const std::lock_guard guard(lock_);
    if (checks_often_) check_another(here);
    live_.append(block);
    stats_.allocated_bytes += bytes;
    stats_.allocated_objects += 1;
    stats_.live_bytes += bytes;
    stats_.live_objects += 1;
    stats_.live_bytes_max = std::max(stats_.live_bytes_max, stats_.live_bytes);
    stats_.live_objects_max = std::max(stats_.live_objects_max, stats_.live_objects);
    return block->memory();
  }

  void free(void* memory, const char* here) {
    Block* block = block_of(memory);
    const std::lock_guard guard(lock_);
    check(block, "gasnett_debug_free", here);
    if (checks_often_) check_another(here);
    live_.remove(block);
    if (block == next_to_check_) next_to_check_ = block->next;
    stats_.freed_bytes += block->bytes;
    stats_.freed_objects += 1;
    stats_.live_bytes -= block->bytes;
    stats_.live_objects -= 1;
    block->mark = kDead;
    block->freed_at = here;
    if (clobbers_) clobber_fill_.write(block->memory(), block->bytes);
    if (leaks_) {
      dead_.append(block);
    } else {
      std::free(block);
    }
  }

  std::size_t size_of(void* memory, const char* function, const char* here) {
    const std::lock_guard guard(lock_);
    check(block_of(memory), function, here);
    return block_of(memory)->bytes;
  }

  void check_one(const char* here) {
    const std::lock_guard guard(lock_);
    check_another(here);
  }

  void check_all(const char* here) {
    const std::lock_guard guard(lock_);
    for (Block* block = live_.first; block != nullptr; block = block->next) {
      check(block, "gasnett_debug_memcheck_all", here);
    }
    if (!scans_freed_) return;
    for (Block* block = dead_.first; block != nullptr; block = block->next) check_dead(block, here);
  }

  gasnett_heapstats_t stats() {
    const std::lock_guard guard(lock_);
    gasnett_heapstats_t stats = stats_;
    stats.overhead_bytes = stats.live_objects * kOverhead;
    return stats;
  }

  void report(bool with_blocks, void (*print)(void* to, const char* line), void* to) {
    std::unique_lock lock(lock_, std::try_to_lock);
    for (int attempt = 0; attempt < kLockAttempts && !lock; ++attempt) {
      usleep(kLockPauseUs);
      (void)lock.try_lock();
    }
    if (!lock) return print(to, "heap: in use, no report");
    char line[512];
    std::snprintf(line, sizeof line,
                  "heap: %" PRIu64 " bytes in %" PRIu64 " blocks live (at most %" PRIu64 " and %" PRIu64
                  "); %" PRIu64 " bytes in %" PRIu64 " blocks allocated, %" PRIu64 " in %" PRIu64 " freed",
                  stats_.live_bytes, stats_.live_objects, stats_.live_bytes_max, stats_.live_objects_max,
                  stats_.allocated_bytes, stats_.allocated_objects, stats_.freed_bytes, stats_.freed_objects);
    print(to, line);
    if (!with_blocks) return;
    for (Block* block = live_.first; block != nullptr; block = block->next) {
      std::snprintf(line, sizeof line, "live: %zu bytes at %p from %s", block->bytes, block->memory(),
                    block->allocated_at);
      print(to, line);
    }
  }

 private:
  static bool flag(const char* name) { return gasnett_getenv_yesno_withdefault(name, 0) != 0; }
  static Block* block_of(const void* memory) { return static_cast<Block*>(const_cast<void*>(memory)) - 1; }

  static void check(Block* block, const char* function, const char* here) {
    if (block->mark == kDead) {
      fail(function, here, "the block at %p was freed at %s", block->memory(), block->freed_at);
    }
    if (block->mark != kLive) {
      fail(function, here, "%p is not a block of this heap, or what lies in front of it was overwritten",
           block->memory());
    }
    if (std::memcmp(block->end(), &kEnd, sizeof kEnd) != 0) {
      fail(function, here, "what lies behind the %zu bytes at %p, allocated at %s, was overwritten",
           block->bytes, block->memory(), block->allocated_at);
    }
  }

  void check_dead(Block* block, const char* here) const {
    const std::size_t change = clobber_fill_.find_change(block->memory(), block->bytes);
    if (change == block->bytes) return;
    fail("gasnett_debug_memcheck_all", here,
         "byte %zu of the block at %p was overwritten after it was freed at %s", change, block->memory(),
         block->freed_at);
  }

  void check_another(const char* here) {
    if (next_to_check_ == nullptr) next_to_check_ = live_.first;
    if (next_to_check_ == nullptr) return;
    check(next_to_check_, "gasnett_debug_memcheck_one", here);
    next_to_check_ = next_to_check_->next;
  }

  std::mutex lock_;
  List live_;
  List dead_;  ///< freed blocks kept for GASNET_MALLOC_LEAKALL
  Block* next_to_check_ = nullptr;
  gasnett_heapstats_t stats_ = {};
  bool scans_freed_ = false, leaks_ = false, clobbers_ = false, inits_ = false, checks_often_ = false;
  HeapFill init_fill_ = HeapFill::from_environment("GASNET_MALLOC_INITVAL");
  HeapFill clobber_fill_ = HeapFill::from_environment("GASNET_MALLOC_CLOBBERVAL");
};

/// Never destroyed, because its blocks outlive main.
Heap& heap() {
  static Heap& only = *new Heap;
  return only;
}

std::FILE* open_report(const char* name) {
  if (std::strcmp(name, "stdout") == 0) return stdout;
  if (std::strcmp(name, "stderr") == 0 || std::strcmp(name, "-") == 0) return stderr;
  return std::fopen(name, "w");
}

}  // namespace

void report_heap(bool with_blocks, void (*print)(void* to, const char* line), void* to) {
  heap().report(with_blocks, print, to);
}

}  // namespace aqueduct::gasnet_tools

using namespace aqueduct::gasnet_tools;

extern "C" {

void* aq_debug_malloc_(size_t size, const char* here) { return heap().allocate(size, here); }

void* aq_debug_calloc_(size_t count, size_t size, const char* here) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    fail("gasnett_debug_calloc", here, "%zu times %zu bytes are more than there can be", count, size);
  }
  return std::memset(heap().allocate(bytes, here), 0, bytes);
}

void* aq_debug_realloc_(void* block, size_t size, const char* here) {
  void* moved = heap().allocate(size, here);
  if (block == nullptr) return moved;
  std::memcpy(moved, block, std::min(size, heap().size_of(block, "gasnett_debug_realloc", here)));
  heap().free(block, here);
  return moved;
}

char* aq_debug_strndup_(const char* text, size_t most, const char* here) {
  const size_t length = strnlen(text, most);
  auto* copy = static_cast<char*>(heap().allocate(length + 1, here));
  std::memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

void aq_debug_free_(void* block, const char* here) {
  if (block != nullptr) heap().free(block, here);
}

void aq_debug_memcheck_(const void* block, const char* here) {
  heap().size_of(const_cast<void*>(block), "gasnett_debug_memcheck", here);
}

void aq_debug_memcheck_one_(const char* here) { heap().check_one(here); }
void aq_debug_memcheck_all_(const char* here) { heap().check_all(here); }
void gasnett_getheapstats(gasnett_heapstats_t* stats) { *stats = heap().stats(); }

int gasnett_heapinfo_dump(const char* file_name, int with_blocks) {
  std::FILE* file = open_report(file_name);
  if (file == nullptr) return 1;
  report_heap(
      with_blocks != 0,
      [](void* to, const char* line) { std::fprintf(static_cast<std::FILE*>(to), "%s\n", line); }, file);
  if (file == stdout || file == stderr) return std::fflush(file);
  return std::fclose(file);
}

}  // extern "C"
