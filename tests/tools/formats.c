/* What only exists after gasnetex.h: descriptors as text, pages, values. */
#include <string.h>
#include <sys/mman.h>

#include "../support/check.h"
/* In this order. */
/* clang-format off */
#include "gasnetex.h"
#include "gasnet_tools.h"
/* clang-format on */

#if defined(GASNET_SEQ) ? !GASNETT_THREAD_SINGLE : !GASNETT_THREAD_SAFE
#error "the mode of gasnetex.h counts"
#endif

#define CHECK_SET(function, set, expected)     \
  do {                                         \
    char text[512];                            \
    const size_t size = function(NULL, (set)); \
    CHECK(size <= sizeof text);                \
    CHECK(function(text, (set)) == size);      \
    CHECK(strlen(text) + 1 == size);           \
    CHECK(strcmp(text, (expected)) == 0);      \
  } while (0)

static void test_sets(void) {
  CHECK_SET(gasnett_format_dt, 0, "NONE");
  CHECK_SET(gasnett_format_dt, GEX_DT_DBL, "DBL");
  CHECK_SET(gasnett_format_dt, GEX_DT_I32 | GEX_DT_USER, "I32|USER");
  CHECK_SET(gasnett_format_dt, GEX_DT_U64 | 1u << 20, "U64|0x100000");
  CHECK_SET(gasnett_format_op, GEX_OP_ADD | GEX_OP_FCAS | GEX_OP_USER_NC, "ADD|FCAS|USER_NC");
  CHECK_SET(gasnett_format_ti, GEX_TI_ALL, "SRCRANK|EP|ENTRY|IS_REQ|IS_LONG");
  CHECK(gasnett_format_op(NULL, ~(gex_OP_t)0) < 512);
}

static void test_lists(void) {
  char area[64];
  char* text = (char*)malloc(4096);
  const gex_Memvec_t vectors[2] = {{area, 10}, {area + 20, 30}};
  void* const addresses[3] = {area, area + 1, area + 2};
  const ptrdiff_t strides[2] = {8, -64};
  const size_t counts[2] = {3, 4};
  CHECK(text != NULL);

  CHECK(gasnett_format_memveclist_bufsz(2) <= 4096);
  CHECK(gasnett_format_memveclist(text, 2, vectors) == 40);
  CHECK(strstr(text, "2 entries") != NULL && strstr(text, ", 30]") != NULL);
  CHECK(gasnett_format_memveclist(text, 0, NULL) == 0);

  CHECK(gasnett_format_addrlist(text, 3, addresses, 4) == 12);
  CHECK(strlen(text) < gasnett_format_addrlist_bufsz(3));

  CHECK(gasnett_format_putvgetv(text, GEX_TM_INVALID, 7, 1, vectors, 2, vectors) == 40);
  CHECK(strstr(text, "rank 7") != NULL && strlen(text) < gasnett_format_putvgetv_bufsz(1, 2));
  CHECK(gasnett_format_putigeti(text, GEX_TM_INVALID, 7, 3, addresses, 4, 2, addresses, 6) == 12);
  CHECK(strlen(text) < gasnett_format_putigeti_bufsz(3, 2));

  gasnett_format_strides(text, 2, strides);
  CHECK(strcmp(text, "{8, -64}") == 0 && strlen(text) < gasnett_format_strides_bufsz(2));
  CHECK(gasnett_format_putsgets(text, NULL, GEX_TM_INVALID, 7, area, strides, area, strides, 8, counts, 2) ==
        96);
  CHECK(strstr(text, "{3, 4}") != NULL && strlen(text) < gasnett_format_putsgets_bufsz(2));
  free(text);
}

static gex_RMA_Value_t value_at(const void* source, size_t nbytes) { GASNETT_VALUE_RETURN(source, nbytes); }

static void test_memory(void) {
  unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, copy[8] = {0};
  CHECK(value_at(bytes, 1) == 1 && value_at(bytes, 2) == 0x0201 && value_at(bytes, 8) == 0x0807060504030201u);
  GASNETT_VALUE_ASSIGN(copy, 0x0a0b0c0du, 3);
  CHECK(copy[0] == 0x0d && copy[1] == 0x0c && copy[2] == 0x0b && copy[3] == 0);
  GASNETT_FAST_ALIGNED_MEMCPY(copy, bytes, 8);
  CHECK(memcmp(copy, bytes, 8) == 0);
  GASNETT_FAST_UNALIGNED_MEMCPY(copy, bytes + 1, 3);
  CHECK(copy[0] == 2 && copy[2] == 4 && copy[3] == 4);
  unsigned char* pages = (unsigned char*)gasnett_mmap(3 * GASNETT_PAGESIZE);
  CHECK(pages != MAP_FAILED && (uintptr_t)pages % GASNETT_PAGESIZE == 0);
  CHECK(gasnett_count0s(pages, 3 * GASNETT_PAGESIZE) == 3 * GASNETT_PAGESIZE);
  pages[0] = 1;
  CHECK(munmap(pages, 3 * GASNETT_PAGESIZE) == 0);
}

int main(void) {
  test_sets();
  test_lists();
  test_memory();
  CHECK(GASNETT_ATOMIC_REL == GEX_FLAG_AD_REL && GASNETT_ATOMIC_ACQ == GEX_FLAG_AD_ACQ);
  return 0;
}
