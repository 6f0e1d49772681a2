/* Annotations, hints, versions and platform names: they compile in every place where they may stand, and mean
 * what they say. */
#include <stdarg.h>
#include <string.h>

#include "../support/check.h"
#include "gasnet_tools.h"

GASNETT_IDENT(ident_of_this_test, "$AqueductToolsTest: survives linking $");

GASNETT_INLINE(twice) int twice(int x) { return 2 * x; }
GASNETT_NEVER_INLINE(sum, static int sum(int a, int b)) { return a + b; }
GASNETT_BEGIN_EXTERNC
GASNETT_MALLOC GASNETT_WARN_UNUSED_RESULT static void* allocate(size_t size) { return malloc(size); }
GASNETT_MALLOCP(allocate)
GASNETT_END_EXTERNC
GASNETT_EXTERNC int declared_outside(int x);
int declared_outside(int x) { return x; }
GASNETT_PURE static int pure(const int* x) { return *x; }
GASNETT_PUREP(pure)
GASNETT_CONST static int constant(int x) { return x + 1; }
GASNETT_CONSTP(constant)
GASNETT_HOT static int hot(void) { return 1; }
GASNETT_COLD static int cold(void) { return 2; }
GASNETT_USED static int used_by_nobody(void) { return 3; }
GASNETT_DEPRECATED extern int old_fashioned(void);
extern void never_returns(void) GASNETT_NORETURN;
GASNETT_NORETURNP(never_returns)
void never_returns(void) { exit(0); }
GASNETT_FORMAT_PRINTF(print_into, 2, 3, static void print_into(char* buffer, const char* format, ...)) {
  va_list arguments;
  va_start(arguments, format);
  vsprintf(buffer, format, arguments);
  va_end(arguments);
}
static GASNETT_FORMAT_PRINTF_FUNCPTR(printer, 2, 3,
                                     void (*printer)(char* buffer, const char* format, ...)) = &print_into;
static void copy_int(int* GASNETT_RESTRICT to, const int* GASNETT_RESTRICT from) { *to = *from; }

static int falls_through(int from) {
  int passed = 0;
  switch (from) {
    case 1:
      passed += 1;
      GASNETT_FALLTHROUGH
    case 2:
      passed += 10;
      break;
    default:
      gasnett_unreachable();
  }
  return passed;
}

static void test_annotations(void) {
  char text[64];
  int from = 5, to = 0;
  void* block = allocate(8);
  CHECK(block != NULL);
  free(block);
  CHECK(twice(4) == 8 && sum(1, 2) == 3 && pure(&from) == 5 && constant(1) == 2 && hot() + cold() == 3);
  CHECK(declared_outside(6) == 6);
  copy_int(&to, &from);
  CHECK(to == 5);
  printer(text, "%d-%s", 7, "x");
  CHECK(strcmp(text, "7-x") == 0);
  CHECK(falls_through(1) == 11 && falls_through(2) == 10);
  CHECK(strcmp(GASNETT_CURRENT_FUNCTION, "test_annotations") == 0);
}

static void test_hints(void) {
  int taken = 0, count = 0, twelve = 12;
  if_pf(twelve == 13) taken = 1;
  else taken = 2;
  CHECK(taken == 2);
  if_pt(twelve) taken = 3;
  CHECK(taken == 3);
  CHECK(GASNETT_PREDICT_TRUE(twelve) && !GASNETT_PREDICT_FALSE(twelve - 12));
  gasnett_assume(twelve == 12);
  CHECK(gasnett_constant_p(12));
  GASNETT_UNUSED_ARGS1(++count);
  GASNETT_UNUSED_ARGS2(++count, ++count);
  GASNETT_UNUSED_ARGS3(++count, ++count, ++count);
  GASNETT_UNUSED_ARGS4(++count, ++count, ++count, ++count);
  GASNETT_UNUSED_ARGS5(++count, ++count, ++count, ++count, ++count);
  GASNETT_UNUSED_ARGS6(++count, ++count, ++count, ++count, ++count, ++count);
  GASNETT_UNUSED_ARGS7(++count, ++count, ++count, ++count, ++count, ++count, ++count);
  CHECK((GASNETT_UNUSED_ARGS8(++count, ++count, ++count, ++count, ++count, ++count, ++count, ++count),
         count) == 36);
}

static void test_text(void) {
  char text[32];
#define SOME_TOKEN some_value
  CHECK(strcmp(_STRINGIFY(SOME_TOKEN), "some_value") == 0);
  const int some_value1 = 4;
  CHECK(_CONCAT(SOME_TOKEN, 1) == 4);
  sprintf(text, "%" PRIuSZ " %" PRIxSZ " %" PRIu64 " %" PRIuPTR, (size_t)10, (size_t)255, (uint64_t)3,
          (uintptr_t)4);
  CHECK(strcmp(text, "10 ff 3 4") == 0);
}

static void test_platform(void) {
#if PLATFORM_ARCH_32 + PLATFORM_ARCH_64 != 1 || PLATFORM_ARCH_LITTLE_ENDIAN + PLATFORM_ARCH_BIG_ENDIAN != 1
#error "exactly one width and one byte order"
#endif
#if defined(__linux__) && !PLATFORM_OS_LINUX
#error "this is Linux"
#endif
#if PLATFORM_COMPILER_GNU + PLATFORM_COMPILER_CLANG + PLATFORM_COMPILER_INTEL + PLATFORM_COMPILER_PGI != 1
#error "exactly one compiler"
#endif
#if PLATFORM_COMPILER_GNU && (defined(__cplusplus) ? !PLATFORM_COMPILER_GNU_CXX : !PLATFORM_COMPILER_GNU_C)
#error "the language is known"
#endif
#if PLATFORM_COMPILER_VERSION_LT(2, 0, 0) || !PLATFORM_COMPILER_VERSION_GE(2, 0, 0) || \
    PLATFORM_COMPILER_VERSION_EQ(2, 0, 0) || PLATFORM_COMPILER_VERSION_LE(1, 0, 0) ||  \
    !PLATFORM_COMPILER_VERSION_GT(1, 9, 9)
#error "versions compare"
#endif
  CHECK(PLATFORM_ARCH_64 == 0 || sizeof(void*) == 8);
  const union {
    int number;
    char bytes[sizeof(int)];
  } one = {1};
  CHECK(gasnett_isLittleEndian() == (one.bytes[0] == 1));
  CHECK(strlen(_STRINGIFY(PLATFORM_COMPILER_FAMILYNAME)) > 2);
  CHECK(strstr(PLATFORM_COMPILER_IDSTR, PLATFORM_COMPILER_VERSION_STR) != NULL);
  CHECK(strstr(__VERSION__, PLATFORM_COMPILER_VERSION_STR) != NULL);
}

static void test_identity(void) {
#if GASNETT_SPEC_VERSION_MAJOR != 1 || GASNETT_SPEC_VERSION_MINOR != 20 ||   \
    GASNETT_RELEASE_VERSION_MAJOR < 2025 || GASNETT_CACHE_LINE_BYTES < 16 || \
    (1 << GASNETT_PAGESHIFT) != GASNETT_PAGESIZE || GASNETT_MAX_THREADS < 1
#error "constants work in #if"
#endif
#if GASNETT_CONFIGURE_MISMATCH
#error "the tests are compiled by the library's own compiler"
#endif
#if defined(GASNETT_THREAD_SAFE) + defined(GASNETT_THREAD_SINGLE) != 1
#error "exactly one threading mode"
#endif
#if GASNETT_THREAD_SAFE
  CHECK(strcmp(_STRINGIFY(GASNETT_THREAD_MODEL), "PAR") == 0);
#else
  CHECK(strcmp(_STRINGIFY(GASNETT_THREAD_MODEL), "SEQ") == 0);
#endif
  CHECK(strstr(GASNETT_CONFIG_STRING, "RELEASE=2025") != NULL);
  CHECK(strstr(GASNETT_CONFIG_STRING, _STRINGIFY(GASNETT_DEBUG_CONFIG)) != NULL);
  CHECK(strstr(GASNETT_SYSTEM_TUPLE, "linux") != NULL);
  CHECK(strlen(GASNETT_CONFIGURE_ARGS) > 0 && strlen(GASNETT_PLATFORM_COMPILER_IDSTR) > 0);
  CHECK(GASNETT_PLATFORM_COMPILER_ID > 0);
  CHECK(gasnett_release_version() == GASNETT_RELEASE_VERSION_MAJOR * (uint64_t)1000000 +
                                         GASNETT_RELEASE_VERSION_MINOR * (uint64_t)10000 +
                                         GASNETT_RELEASE_VERSION_PATCH);
  CHECK(strncmp(gasnett_release_version_str(), "2025.", 5) == 0);
  CHECK(gasnett_performance_warning_str() != NULL);
}

/* Existing programs take these addresses. */
static void test_leaked_names(void) {
  const void* const names[] = {(const void*)(uintptr_t)&_gasneti_threadkey_init,
                               (const void*)(uintptr_t)&_gasnett_trace_printf_noop};
  CHECK(names[0] != NULL && names[1] != NULL);
}

int main(void) {
  test_annotations();
  test_hints();
  test_text();
  test_platform();
  test_identity();
  test_leaked_names();
  return 0;
}
