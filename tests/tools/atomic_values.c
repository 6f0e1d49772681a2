/* Each operation of each family of atomics does what it says, with every fence, and wraps around. */
#include "../support/check.h"
#include "gasnet_tools.h"

/* clang-format off */
static const int kFences[] = {
    GASNETT_ATOMIC_NONE, GASNETT_ATOMIC_RMB_PRE, GASNETT_ATOMIC_WMB_PRE, GASNETT_ATOMIC_MB_PRE,
    GASNETT_ATOMIC_RMB_POST, GASNETT_ATOMIC_WMB_POST, GASNETT_ATOMIC_MB_POST,
    GASNETT_ATOMIC_RMB_POST_IF_TRUE, GASNETT_ATOMIC_RMB_POST_IF_FALSE,
    GASNETT_ATOMIC_REL, GASNETT_ATOMIC_ACQ, GASNETT_ATOMIC_ACQ_IF_TRUE, GASNETT_ATOMIC_ACQ_IF_FALSE,
    GASNETT_ATOMIC_MB_PRE | GASNETT_ATOMIC_MB_POST, GASNETT_ATOMIC_REL | GASNETT_ATOMIC_ACQ};
/* clang-format on */
enum { kFenceCount = sizeof kFences / sizeof kFences[0] };

#define TEST_FAMILY(family, unsigned_type)                           \
  static family##_t family##_static = family##_init(10);             \
  static void test_##family(int f) {                                 \
    const unsigned_type most = (unsigned_type) ~(unsigned_type)0;    \
    struct {                                                         \
      char before;                                                   \
      family##_t variable;                                           \
    } local = {0, family##_init(-1)};                                \
    family##_t* p = &local.variable;                                 \
    CHECK(family##_read(p, f) == most);                              \
    family##_set(&family##_static, 10, f);                           \
    CHECK(family##_read(&family##_static, f) == 10);                 \
    family##_increment(p, f);                                        \
    CHECK(family##_read(p, f) == 0);                                 \
    family##_decrement(p, f);                                        \
    CHECK(family##_read(p, f) == most);                              \
    family##_set(p, 2, f);                                           \
    CHECK(!family##_decrement_and_test(p, f));                       \
    CHECK(family##_decrement_and_test(p, f));                        \
    CHECK(!family##_decrement_and_test(p, f));                       \
    CHECK(family##_add(p, 5, f) == 4);                               \
    CHECK(family##_subtract(p, 5, f) == most);                       \
    CHECK(family##_swap(p, 7, f) == most);                           \
    CHECK(!family##_compare_and_swap(p, 6, 8, f));                   \
    CHECK(family##_read(p, f) == 7);                                 \
    CHECK(family##_compare_and_swap(p, 7, most, f));                 \
    CHECK(family##_read(p, f) == most);                              \
    for (unsigned bit = 0; bit < 8 * sizeof(unsigned_type); ++bit) { \
      const unsigned_type one = (unsigned_type)1 << bit;             \
      family##_set(p, one, f);                                       \
      CHECK(family##_read(p, f) == one);                             \
      CHECK(!family##_compare_and_swap(p, 0, 1, f));                 \
      CHECK(family##_add(p, one - 1, f) == (one | (one - 1)));       \
    }                                                                \
  }

TEST_FAMILY(gasnett_atomic, gasnett_atomic_val_t)
TEST_FAMILY(gasnett_atomic32, uint32_t)
TEST_FAMILY(gasnett_atomic64, uint64_t)
TEST_FAMILY(gasnett_strongatomic, gasnett_strongatomic_val_t)
TEST_FAMILY(gasnett_strongatomic32, uint32_t)
TEST_FAMILY(gasnett_strongatomic64, uint64_t)

static void test_signed_range(void) {
  gasnett_atomic_t variable = gasnett_atomic_init(GASNETT_ATOMIC_SIGNED_MAX);
  gasnett_atomic_increment(&variable, 0);
  CHECK(gasnett_atomic_signed(gasnett_atomic_read(&variable, 0)) == GASNETT_ATOMIC_SIGNED_MIN);
  gasnett_atomic_decrement(&variable, 0);
  CHECK(gasnett_atomic_signed(gasnett_atomic_read(&variable, 0)) == GASNETT_ATOMIC_SIGNED_MAX);
  gasnett_atomic_set(&variable, (gasnett_atomic_val_t)-5, 0);
  CHECK(gasnett_atomic_signed(gasnett_atomic_read(&variable, 0)) == -5);
  CHECK((gasnett_atomic_sval_t)-1 < 0 && (gasnett_atomic_val_t)-1 == GASNETT_ATOMIC_MAX);
}

/* The fixed widths take exactly their room, and may live in numbers of the client's own. */
static void test_borrowed_storage(void) {
  union {
    double as_double;
    uint64_t as_bits;
  } wide;
  double number = 1.0;
  float small = 1.0f;
  int32_t whole = -1;
  CHECK(sizeof(gasnett_atomic32_t) == 4 && sizeof(gasnett_atomic64_t) == 8);
  gasnett_atomic64_t* in_double = (gasnett_atomic64_t*)(void*)&number;
  gasnett_atomic32_t* in_float = (gasnett_atomic32_t*)(void*)&small;
  gasnett_atomic32_t* in_int = (gasnett_atomic32_t*)(void*)&whole;
  wide.as_double = 1.0;
  CHECK(gasnett_atomic64_read(in_double, 0) == wide.as_bits);
  wide.as_double = 2.5;
  gasnett_atomic64_set(in_double, wide.as_bits, 0);
  CHECK(number == 2.5);
  CHECK(gasnett_atomic32_read(in_float, 0) == 0x3f800000u);
  gasnett_atomic32_set(in_float, 0x40000000u, 0);
  CHECK(small == 2.0f);
  gasnett_atomic32_increment(in_int, 0);
  CHECK(whole == 0);
}

int main(void) {
  CHECK(gasnett_atomic_read(&gasnett_atomic_static, 0) == 10);
  CHECK(gasnett_atomic64_read(&gasnett_atomic64_static, 0) == 10);
  for (int fence = 0; fence < kFenceCount; ++fence) {
    test_gasnett_atomic(kFences[fence]);
    test_gasnett_atomic32(kFences[fence]);
    test_gasnett_atomic64(kFences[fence]);
    test_gasnett_strongatomic(kFences[fence]);
    test_gasnett_strongatomic32(kFences[fence]);
    test_gasnett_strongatomic64(kFences[fence]);
  }
  test_signed_range();
  test_borrowed_storage();
#if !GASNETT_HAVE_ATOMIC_CAS || !GASNETT_HAVE_ATOMIC_ADD_SUB || !GASNETT_HAVE_STRONGATOMIC_CAS || \
    !GASNETT_HAVE_STRONGATOMIC_ADD_SUB || defined(GASNETT_USING_GENERIC_ATOMICOPS)
#error "every operation exists, and none uses a mutex"
#endif
  CHECK(GASNETT_ATOMIC_MB_PRE == (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE));
  return 0;
}
