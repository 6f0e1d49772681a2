// Reductions and scans.
//
// Few bytes in a team: the library below. Otherwise each member combines its slice of all sources and writes
// the result to all: what a member overwrites of its own source, where that is also the destination, nobody
// else reads.
#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

#include "checks.hpp"
#include "exported.hpp"
#include "group.hpp"
#include "shmem.h"

using namespace aqshmem;

namespace {

enum class Operation { kAnd, kOr, kXor, kMax, kMin, kSum, kProd };

/// right[i] = left[i] op right[i], as the library below calls it.
using Combine = void (*)(const void* left, void* right, std::size_t count, const void*);

template <class Type, Operation kOperation>
void combine(const void* left, void* right, std::size_t count, const void*) {
  const auto* const __restrict a = static_cast<const Type*>(left);
  auto* const __restrict b = static_cast<Type*>(right);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (kOperation == Operation::kAnd) b[i] = static_cast<Type>(a[i] & b[i]);
    if constexpr (kOperation == Operation::kOr) b[i] = static_cast<Type>(a[i] | b[i]);
    if constexpr (kOperation == Operation::kXor) b[i] = static_cast<Type>(a[i] ^ b[i]);
    if constexpr (kOperation == Operation::kMax) b[i] = b[i] < a[i] ? a[i] : b[i];
    if constexpr (kOperation == Operation::kMin) b[i] = a[i] < b[i] ? a[i] : b[i];
    if constexpr (kOperation == Operation::kSum) b[i] = static_cast<Type>(a[i] + b[i]);
    if constexpr (kOperation == Operation::kProd) b[i] = static_cast<Type>(a[i] * b[i]);
  }
}

/// A type and an operation at run time.
struct Reduction {
  Combine combine;
  std::size_t element_bytes;
  gex_DT_t type;  ///< GEX_DT_USER unless the library below has it
  gex_OP_t operation;
};

template <class Type, Operation kOperation>
Reduction reduction() {
  Reduction made{combine<Type, kOperation>, sizeof(Type), GEX_DT_USER, GEX_OP_USER};
  if constexpr (std::is_integral_v<Type>) {
    if constexpr (sizeof(Type) == 4) made.type = std::is_signed_v<Type> ? GEX_DT_I32 : GEX_DT_U32;
    if constexpr (sizeof(Type) == 8) made.type = std::is_signed_v<Type> ? GEX_DT_I64 : GEX_DT_U64;
  } else if constexpr (std::is_same_v<Type, float>) {
    made.type = GEX_DT_FLT;
  } else if constexpr (std::is_same_v<Type, double>) {
    made.type = GEX_DT_DBL;
  }
  if (made.type != GEX_DT_USER) {
    static constexpr gex_OP_t kOperations[] = {GEX_OP_AND, GEX_OP_OR,  GEX_OP_XOR, GEX_OP_MAX,
                                               GEX_OP_MIN, GEX_OP_ADD, GEX_OP_MULT};
    made.operation = kOperations[static_cast<int>(kOperation)];
  }
  return made;
}

constexpr std::size_t kSliced = 2048;
constexpr std::size_t kChunk = 16384;

void reduce_slices(const Group& group, const Reduction& with, void* dest, const void* source,
                   std::size_t count) {
  const auto members = static_cast<std::size_t>(group.size());
  const auto me = static_cast<std::size_t>(group.me());
  const std::size_t begin = count * me / members;
  const std::size_t end = count * (me + 1) / members;
  const std::size_t at_once = kChunk / with.element_bytes;
  alignas(64) char result[kChunk];
  alignas(64) char fetched[kChunk];
  group.synchronise();
  for (std::size_t at = begin; at < end; at += at_once) {
    const std::size_t n = std::min(at_once, end - at);
    const std::size_t bytes = n * with.element_bytes;
    const std::size_t offset = at * with.element_bytes;
    const char* const from = static_cast<const char*>(source) + offset;
    // In the order of members, so that all repetitions round alike.
    std::memcpy(result, group.look(from, bytes, group.size() - 1, fetched), bytes);
    for (int member = group.size() - 2; member >= 0; --member)
      with.combine(group.look(from, bytes, member, fetched), result, n, nullptr);
    for (int i = 0; i < group.size(); ++i)
      group.put(static_cast<char*>(dest) + offset, result, bytes, (group.me() + i) % group.size());
    if (!group.is_here()) shmem_quiet();  // `result` is used again
  }
  group.complete_and_synchronise();
}

void reduce(const Group& group, const Reduction& with, void* dest, const void* source, std::size_t count) {
  if (!group.is_member()) return;
  if (group.size() == 1) {
    if (dest != source) std::memmove(dest, source, count * with.element_bytes);
  } else if (group.team() && count != 0 && (!group.is_here() || count * with.element_bytes < kSliced)) {
    const Inside inside;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(group.team(), dest, source, with.type, with.element_bytes, count,
                                          with.operation, with.combine, nullptr, 0));
  } else {
    reduce_slices(group, with, dest, source, count);
  }
}

/// What members before this one have, and, unless it is to be left out, this one itself.
template <class Type>
void scan(const Group& group, Type* dest, const Type* source, std::size_t count, bool with_own) {
  std::vector<Type> sums(count, Type{});
  std::vector<Type> fetched(count);
  group.synchronise();
  const int end = group.me() + (with_own ? 1 : 0);
  for (int member = 0; member < end; ++member) {
    const auto* const from =
        static_cast<const Type*>(group.look(source, count * sizeof(Type), member, fetched.data()));
    for (std::size_t i = 0; i < count; ++i) sums[i] = static_cast<Type>(sums[i] + from[i]);
  }
  group.synchronise();
  std::copy(sums.begin(), sums.end(), dest);
  group.synchronise();
}

}  // namespace

#pragma GCC diagnostic ignored "-Wpedantic"
// clang-format off
#define SHMEM_REDUCE(NAME, TYPE, OP, OPERATION) \
  SHMEM_EXPORT(int, NAME##_##OP##_reduce, (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nreduce)) { \
    const Group group("shmem_" #NAME "_" #OP "_reduce", team); \
    check_same(group.call(), group.team(), {nreduce}); \
    reduce(group, reduction<TYPE, Operation::OPERATION>(), dest, source, nreduce); \
    return 0; \
  }
#define SHMEM_BITWISE(NAME, TYPE, ...) SHMEM_REDUCE(NAME, TYPE, and, kAnd) SHMEM_REDUCE(NAME, TYPE, or, kOr) SHMEM_REDUCE(NAME, TYPE, xor, kXor)
#define SHMEM_ORDERED(NAME, TYPE, ...) SHMEM_REDUCE(NAME, TYPE, max, kMax) SHMEM_REDUCE(NAME, TYPE, min, kMin)
#define SHMEM_ARITHMETIC(NAME, TYPE, ...) SHMEM_REDUCE(NAME, TYPE, sum, kSum) SHMEM_REDUCE(NAME, TYPE, prod, kProd) \
  SHMEM_EXPORT(int, NAME##_sum_inscan, (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems)) { \
    scan(Group("shmem_" #NAME "_sum_inscan", team), dest, source, nelems, true); \
    return 0; \
  } \
  SHMEM_EXPORT(int, NAME##_sum_exscan, (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems)) { \
    scan(Group("shmem_" #NAME "_sum_exscan", team), dest, source, nelems, false); \
    return 0; \
  }
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_BITWISE, )
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_ORDERED, )
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_ARITHMETIC, )
SHMEM_FLOATING_TYPES_(SHMEM_ORDERED, )
SHMEM_FLOATING_TYPES_(SHMEM_ARITHMETIC, )
SHMEM_COMPLEX_TYPES_(SHMEM_ARITHMETIC, )

#define SHMEM_TO_ALL(NAME, TYPE, OP, OPERATION) \
  SHMEM_EXPORT(void, NAME##_##OP##_to_all, (TYPE* dest, const TYPE* source, int nreduce, int PE_start, int logPE_stride, int PE_size, TYPE*, long* pSync)) { \
    reduce(Group("shmem_" #NAME "_" #OP "_to_all", PE_start, logPE_stride, PE_size, pSync), reduction<TYPE, Operation::OPERATION>(), dest, source, static_cast<size_t>(nreduce)); \
  }
#define SHMEM_OLD_BITWISE(NAME, TYPE, ...) SHMEM_TO_ALL(NAME, TYPE, and, kAnd) SHMEM_TO_ALL(NAME, TYPE, or, kOr) SHMEM_TO_ALL(NAME, TYPE, xor, kXor)
#define SHMEM_OLD_ORDERED(NAME, TYPE, ...) SHMEM_TO_ALL(NAME, TYPE, max, kMax) SHMEM_TO_ALL(NAME, TYPE, min, kMin)
#define SHMEM_OLD_ARITHMETIC(NAME, TYPE, ...) SHMEM_TO_ALL(NAME, TYPE, sum, kSum) SHMEM_TO_ALL(NAME, TYPE, prod, kProd)
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_OLD_BITWISE, )
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_OLD_ORDERED, )
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_OLD_ARITHMETIC, )
SHMEM_FLOATING_TYPES_(SHMEM_OLD_ORDERED, )
SHMEM_FLOATING_TYPES_(SHMEM_OLD_ARITHMETIC, )
SHMEM_COMPLEX_TYPES_(SHMEM_OLD_ARITHMETIC, )
// clang-format on
