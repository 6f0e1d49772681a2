#include "moves.hpp"

#include <cstring>
#include <vector>

#include "checks.hpp"
#include "exported.hpp"
#include "shmem.h"
#include "waiting.hpp"

namespace aqshmem {
namespace {

char* bytes_at(void* base, std::size_t offset) { return static_cast<char*>(base) + offset; }
const char* bytes_at(const void* base, std::size_t offset) { return static_cast<const char*>(base) + offset; }

/// From here on members fetch a broadcast side by side, rather than that the root writes to one after the
/// other.
constexpr std::size_t kFetched = 16384;

/// The members in an order that begins behind this one, so that not all write to the same at once.
template <class Visit>
void for_all(const Group& group, Visit&& visit) {
  for (int i = 1; i <= group.size(); ++i) visit((group.me() + i) % group.size());
}

/// The sum of what members before this one have, in a team. `bytes` is replaced by it.
std::size_t bytes_before(const Group& group, std::size_t bytes) {
  std::vector<std::uint64_t> mine(static_cast<std::size_t>(group.size()), 0);
  std::vector<std::uint64_t> all(mine.size());
  mine[static_cast<std::size_t>(group.me())] = bytes;
  const Inside inside;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(group.team(), all.data(), mine.data(), GEX_DT_U64, 8, all.size(),
                                        GEX_OP_ADD, nullptr, nullptr, 0));
  std::size_t before = 0;
  for (int i = 0; i < group.me(); ++i) before += all[static_cast<std::size_t>(i)];
  return before;
}

/// The same in an active set: each tells the next, by the third long of pSync.
std::size_t bytes_before_by_psync(const Group& group, std::size_t bytes) {
  long* const word = group.psync() + 2;
  std::size_t before = 0;
  if (group.me() != 0) {
    wait_until(group.call(), word,
               [&] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) != SHMEM_SYNC_VALUE; });
    before = static_cast<std::size_t>(*word - SHMEM_SYNC_VALUE - 1);
    __atomic_store_n(word, SHMEM_SYNC_VALUE, __ATOMIC_RELEASE);
  }
  if (group.me() + 1 < group.size())
    shmem_long_atomic_set(word, static_cast<long>(before + bytes) + 1 + SHMEM_SYNC_VALUE,
                          group.pe(group.me() + 1));
  return before;
}

}  // namespace

void broadcast(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
               bool to_root) {
  if (!group.is_member()) return;
  if (root < 0 || root >= group.size())
    fail("%s: there is no root %d among %d PEs", group.call(), root, group.size());
  const bool is_root = group.me() == root;
  if (is_root && to_root && dest != source) std::memmove(dest, source, bytes);
  if (group.size() == 1) return;
  if (group.team() && !group.is_here() && bytes != 0) {
    // The destination may not be the library's on a root that is to keep it.
    const Inside inside;
    gex_Event_Wait(gex_Coll_BroadcastNB(group.team(), static_cast<gex_Rank_t>(root),
                                        is_root ? const_cast<void*>(source) : dest, source, bytes, 0));
    return;
  }
  if (group.is_here() && group.size() > 2 && bytes >= kFetched) {
    group.synchronise();
    if (!is_root) std::memcpy(dest, group.look(source, bytes, root, nullptr), bytes);
    group.synchronise();
    return;
  }
  if (is_root) {
    for_all(group, [&](int member) {
      if (member != root) group.put(dest, source, bytes, member);
    });
  }
  group.complete_and_synchronise();
}

void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes) {
  if (!group.is_member()) return;
  const std::size_t offset = static_cast<std::size_t>(group.me()) * bytes;
  for_all(group, [&](int member) { group.put(bytes_at(dest, offset), source, bytes, member); });
  group.complete_and_synchronise();
}

void collect(const Group& group, void* dest, const void* source, std::size_t bytes) {
  if (!group.is_member()) return;
  const std::size_t offset = group.team() ? bytes_before(group, bytes) : bytes_before_by_psync(group, bytes);
  for_all(group, [&](int member) { group.put(bytes_at(dest, offset), source, bytes, member); });
  group.complete_and_synchronise();
}

void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes) {
  if (!group.is_member()) return;
  const std::size_t offset = static_cast<std::size_t>(group.me()) * bytes;
  for_all(group, [&](int member) {
    group.put(bytes_at(dest, offset), bytes_at(source, static_cast<std::size_t>(member) * bytes), bytes,
              member);
  });
  group.complete_and_synchronise();
}

void alltoalls(const Group& group, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
               std::size_t nelems, std::size_t element_bytes) {
  if (!group.is_member()) return;
  const auto stride = [&](std::ptrdiff_t distance, int block, std::size_t i) {
    return static_cast<std::size_t>(distance) * (static_cast<std::size_t>(block) * nelems + i) *
           element_bytes;
  };
  for_all(group, [&](int member) {
    for (std::size_t i = 0; i < nelems; ++i) {
      group.put(bytes_at(dest, stride(dst, group.me(), i)), bytes_at(source, stride(sst, member, i)),
                element_bytes, member);
    }
  });
  group.complete_and_synchronise();
}

}  // namespace aqshmem

using namespace aqshmem;

// clang-format off
#define SHMEM_MOVES(NAME, TYPE, BYTES, BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS) \
  SHMEM_EXPORT(int, BROADCAST, (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems, int PE_root)) { \
    const Group group("shmem_" #BROADCAST, team); \
    check_same(group.call(), group.team(), {nelems, static_cast<size_t>(PE_root)}); \
    broadcast(group, dest, source, nelems * BYTES, PE_root, true); \
    return 0; \
  } \
  SHMEM_EXPORT(int, COLLECT, (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems)) { \
    const Group group("shmem_" #COLLECT, team); \
    check_same(group.call(), group.team(), {}); \
    collect(group, dest, source, nelems * BYTES); \
    return 0; \
  } \
  SHMEM_EXPORT(int, FCOLLECT, (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems)) { \
    const Group group("shmem_" #FCOLLECT, team); \
    check_same(group.call(), group.team(), {nelems}); \
    fcollect(group, dest, source, nelems * BYTES); \
    return 0; \
  } \
  SHMEM_EXPORT(int, ALLTOALL, (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems)) { \
    const Group group("shmem_" #ALLTOALL, team); \
    check_same(group.call(), group.team(), {nelems}); \
    alltoall(group, dest, source, nelems * BYTES); \
    return 0; \
  } \
  SHMEM_EXPORT(int, ALLTOALLS, (shmem_team_t team, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems)) { \
    const Group group("shmem_" #ALLTOALLS, team); \
    check_same(group.call(), group.team(), {nelems, static_cast<size_t>(dst), static_cast<size_t>(sst)}); \
    alltoalls(group, dest, source, dst, sst, nelems, BYTES); \
    return 0; \
  }
#define SHMEM_TYPED_MOVES(NAME, TYPE, ...) \
  SHMEM_MOVES(NAME, TYPE, sizeof(TYPE), NAME##_broadcast, NAME##_collect, NAME##_fcollect, NAME##_alltoall, NAME##_alltoalls)
SHMEM_RMA_TYPES_(SHMEM_TYPED_MOVES, )
SHMEM_MOVES(mem, void, 1, broadcastmem, collectmem, fcollectmem, alltoallmem, alltoallsmem)

#define SHMEM_ACTIVE_SETS(BITS, BYTES) \
  SHMEM_EXPORT(void, broadcast##BITS, (void* dest, const void* source, size_t nelems, int PE_root, int PE_start, int logPE_stride, int PE_size, long* pSync)) { \
    broadcast(Group("shmem_broadcast" #BITS, PE_start, logPE_stride, PE_size, pSync), dest, source, nelems * BYTES, PE_root, false); \
  } \
  SHMEM_EXPORT(void, collect##BITS, (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync)) { \
    collect(Group("shmem_collect" #BITS, PE_start, logPE_stride, PE_size, pSync), dest, source, nelems * BYTES); \
  } \
  SHMEM_EXPORT(void, fcollect##BITS, (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync)) { \
    fcollect(Group("shmem_fcollect" #BITS, PE_start, logPE_stride, PE_size, pSync), dest, source, nelems * BYTES); \
  } \
  SHMEM_EXPORT(void, alltoall##BITS, (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync)) { \
    alltoall(Group("shmem_alltoall" #BITS, PE_start, logPE_stride, PE_size, pSync), dest, source, nelems * BYTES); \
  } \
  SHMEM_EXPORT(void, alltoalls##BITS, (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync)) { \
    alltoalls(Group("shmem_alltoalls" #BITS, PE_start, logPE_stride, PE_size, pSync), dest, source, dst, sst, nelems, BYTES); \
  }
SHMEM_ACTIVE_SETS(32, 4)
SHMEM_ACTIVE_SETS(64, 8)
// clang-format on

SHMEM_EXPORT(void, barrier, (int PE_start, int logPE_stride, int PE_size, long* pSync)) {
  Group("shmem_barrier", PE_start, logPE_stride, PE_size, pSync).complete_and_synchronise();
}
SHMEM_EXPORT(void, sync, (int PE_start, int logPE_stride, int PE_size, long* pSync)) {
  Group("shmem_sync", PE_start, logPE_stride, PE_size, pSync).synchronise();
}
