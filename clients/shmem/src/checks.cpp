#include "checks.hpp"

#include <cinttypes>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "memory.hpp"

namespace aqshmem {

void check_range(const char* call, const void* address, std::size_t bytes, int pe) {
  if (job.uses == 0) must_be_started(call);
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(job.pes))
    fail("%s names PE %d, and there are PEs 0 to %d", call, pe, job.pes - 1);
  const std::uintptr_t offset = segment_offset(address);
  if (offset == kNowhere)
    fail(
        "%s of %zu bytes at PE %d names %p, which is not symmetric: neither in the symmetric heap nor a "
        "static or "
        "global variable of the program (those of shared libraries are not)",
        call, bytes, pe, address);
  const bool in_heap = offset < job.heap_bytes;
  const std::uintptr_t end = in_heap ? job.heap_bytes : job.statics_offset + job.statics_bytes;
  if (bytes > end - offset)
    fail("%s of %zu bytes at PE %d begins at %p, and the symmetric memory ends %zu bytes behind it", call,
         bytes, pe, address, static_cast<std::size_t>(end - offset));
  if (job.checks && in_heap && !heap_holds(offset, bytes))
    fail(
        "%s of %zu bytes at PE %d names %p in the symmetric heap, which is not inside one allocated block: "
        "freed "
        "already, or too long",
        call, bytes, pe, address);
}

void check_overlap(const char* call, const void* to, const void* from, std::size_t bytes) {
  if (!job.checks || to == from) return;
  const auto a = reinterpret_cast<std::uintptr_t>(to);
  const auto b = reinterpret_cast<std::uintptr_t>(from);
  if ((a < b ? b - a : a - b) < bytes)
    fail("%s of %zu bytes has a source and a destination that overlap", call, bytes);
}

void check_alignment(const char* call, const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    fail("%s on %zu bytes names %p, which is not aligned to that", call, bytes, address);
}

void check_same(const char* call, gex_TM_t team, std::initializer_list<std::size_t> numbers) {
  if (!job.checks || !team) return;
  // Each number and its complement: the greatest of both tell whether all are the same.
  std::uint64_t mine[16] = {};
  std::uint64_t greatest[16] = {};
  std::size_t count = 0;
  std::uint64_t name = 1469598103934665603u;
  for (const char* c = call; *c; ++c) name = (name ^ static_cast<unsigned char>(*c)) * 1099511628211u;
  const auto add = [&](std::uint64_t number) {
    mine[count++] = number;
    mine[count++] = ~number;
  };
  add(name);
  for (const std::size_t number : numbers) add(number);
  const Inside inside;
  gex_Event_Wait(
      gex_Coll_ReduceToAllNB(team, greatest, mine, GEX_DT_U64, 8, count, GEX_OP_MAX, nullptr, nullptr, 0));
  for (std::size_t i = 0; i < count; i += 2) {
    if (greatest[i] == ~greatest[i + 1]) continue;
    if (i == 0)
      fail("PE %d calls %s where another PE of the team makes another collective call", job.me, call);
    fail("PE %d calls %s with another argument than other PEs of the team: here it is %" PRIu64
         ", elsewhere between %" PRIu64 " and %" PRIu64,
         job.me, call, mine[i], ~greatest[i + 1], greatest[i]);
  }
}

}  // namespace aqshmem
