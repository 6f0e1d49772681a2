// shmem_wait_until and shmem_test in all their forms, from the table of types.
#include "exported.hpp"
#include "job.hpp"
#include "shmem.h"
#include "waiting.hpp"

using namespace aqshmem;

namespace {

template <class Type>
bool compares(const Type* variable, int comparison, Type value) {
  const Type now = __atomic_load_n(variable, __ATOMIC_ACQUIRE);
  switch (comparison) {
    case SHMEM_CMP_EQ:
      return now == value;
    case SHMEM_CMP_NE:
      return now != value;
    case SHMEM_CMP_GT:
      return now > value;
    case SHMEM_CMP_GE:
      return now >= value;
    case SHMEM_CMP_LT:
      return now < value;
    case SHMEM_CMP_LE:
      return now <= value;
  }
  fail("a comparison of %d is none of SHMEM_CMP_EQ and the others", comparison);
}

/// Variables and what each is compared with.
template <class Type>
struct Several {
  const Type* variables;
  std::size_t count;
  const int* status;
  int comparison;
  const Type* values;
  bool same_value;  ///< all are compared with the first one

  bool counts(std::size_t i) const { return !status || status[i] == 0; }
  bool holds(std::size_t i) const { return compares(variables + i, comparison, values[same_value ? 0 : i]); }
  bool is_empty() const {
    for (std::size_t i = 0; i < count; ++i) {
      if (counts(i)) return false;
    }
    return true;
  }
  bool all() const {
    for (std::size_t i = 0; i < count; ++i) {
      if (counts(i) && !holds(i)) return false;
    }
    return true;
  }
  /// The first that holds, looked for from where the last search has ended, so that none is passed over for
  /// ever.
  std::size_t any() const {
    thread_local std::size_t begin = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = (begin + k) % count;
      if (!counts(i) || !holds(i)) continue;
      begin = i + 1;
      return i;
    }
    return SIZE_MAX;
  }
  std::size_t some(std::size_t* indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (counts(i) && holds(i)) indices[found++] = i;
    }
    return found;
  }
};

template <class Type>
void wait_all(const char* call, const Several<Type>& several) {
  must_be_started(call);
  wait_until(call, several.variables, [&] { return several.all(); });
}

template <class Type>
std::size_t wait_any(const char* call, const Several<Type>& several) {
  must_be_started(call);
  if (several.is_empty()) return SIZE_MAX;
  std::size_t found = SIZE_MAX;
  wait_until(call, several.variables, [&] { return (found = several.any()) != SIZE_MAX; });
  return found;
}

template <class Type>
std::size_t wait_some(const char* call, const Several<Type>& several, std::size_t* indices) {
  must_be_started(call);
  if (several.is_empty()) return 0;
  std::size_t found = 0;
  wait_until(call, several.variables, [&] { return (found = several.some(indices)) != 0; });
  return found;
}

/// A test that fails lets others go on: a program may do nothing but test.
template <class Result>
Result tested(Result result, Result nothing) {
  if (result == nothing) {
    const Inside inside;
    gasnet_AMPoll();
  } else {
    look_now_and_then();
  }
  return result;
}

}  // namespace

// clang-format off
#define SHMEM_WAITS(NAME, TYPE, ...) \
  SHMEM_EXPORT(void, NAME##_wait_until, (TYPE* ivar, int cmp, TYPE value)) { \
    if (compares(ivar, cmp, value)) return look_now_and_then(); \
    must_be_started("shmem_wait_until"); \
    wait_until("shmem_" #NAME "_wait_until", ivar, [&] { return compares(ivar, cmp, value); }); \
  } \
  SHMEM_EXPORT(void, NAME##_wait_until_all, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value)) { wait_all("shmem_" #NAME "_wait_until_all", Several<TYPE>{ivars, nelems, status, cmp, &value, true}); } \
  SHMEM_EXPORT(size_t, NAME##_wait_until_any, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value)) { return wait_any("shmem_" #NAME "_wait_until_any", Several<TYPE>{ivars, nelems, status, cmp, &value, true}); } \
  SHMEM_EXPORT(size_t, NAME##_wait_until_some, (TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE value)) { return wait_some("shmem_" #NAME "_wait_until_some", Several<TYPE>{ivars, nelems, status, cmp, &value, true}, indices); } \
  SHMEM_EXPORT(void, NAME##_wait_until_all_vector, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values)) { wait_all("shmem_" #NAME "_wait_until_all_vector", Several<TYPE>{ivars, nelems, status, cmp, values, false}); } \
  SHMEM_EXPORT(size_t, NAME##_wait_until_any_vector, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values)) { return wait_any("shmem_" #NAME "_wait_until_any_vector", Several<TYPE>{ivars, nelems, status, cmp, values, false}); } \
  SHMEM_EXPORT(size_t, NAME##_wait_until_some_vector, (TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE* values)) { return wait_some("shmem_" #NAME "_wait_until_some_vector", Several<TYPE>{ivars, nelems, status, cmp, values, false}, indices); } \
  SHMEM_EXPORT(int, NAME##_test, (TYPE* ivar, int cmp, TYPE value)) { return tested<int>(compares(ivar, cmp, value), 0); } \
  SHMEM_EXPORT(int, NAME##_test_all, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value)) { return tested<int>(Several<TYPE>{ivars, nelems, status, cmp, &value, true}.all(), 0); } \
  SHMEM_EXPORT(size_t, NAME##_test_any, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value)) { return tested<size_t>(Several<TYPE>{ivars, nelems, status, cmp, &value, true}.any(), SIZE_MAX); } \
  SHMEM_EXPORT(size_t, NAME##_test_some, (TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE value)) { return tested<size_t>(Several<TYPE>{ivars, nelems, status, cmp, &value, true}.some(indices), 0); } \
  SHMEM_EXPORT(int, NAME##_test_all_vector, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values)) { return tested<int>(Several<TYPE>{ivars, nelems, status, cmp, values, false}.all(), 0); } \
  SHMEM_EXPORT(size_t, NAME##_test_any_vector, (TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values)) { return tested<size_t>(Several<TYPE>{ivars, nelems, status, cmp, values, false}.any(), SIZE_MAX); } \
  SHMEM_EXPORT(size_t, NAME##_test_some_vector, (TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE* values)) { return tested<size_t>(Several<TYPE>{ivars, nelems, status, cmp, values, false}.some(indices), 0); }
SHMEM_WAIT_TYPES_(SHMEM_WAITS, )

#define SHMEM_OLD_WAITS(NAME, TYPE) \
  SHMEM_EXPORT(void, NAME##_wait, (TYPE* ivar, TYPE value)) { pshmem_##NAME##_wait_until(ivar, SHMEM_CMP_NE, value); }
SHMEM_OLD_WAITS(short, short) SHMEM_OLD_WAITS(int, int) SHMEM_OLD_WAITS(long, long) SHMEM_OLD_WAITS(longlong, long long)
    // clang-format on

    SHMEM_EXPORT(void, wait, (long* ivar, long value)) {
  pshmem_long_wait_until(ivar, SHMEM_CMP_NE, value);
}
SHMEM_EXPORT(void, wait_until, (long* ivar, int cmp, long value)) {
  pshmem_long_wait_until(ivar, cmp, value);
}

SHMEM_EXPORT(uint64_t, signal_wait_until, (uint64_t * sig_addr, int cmp, uint64_t value)) {
  pshmem_uint64_wait_until(sig_addr, cmp, value);
  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}
