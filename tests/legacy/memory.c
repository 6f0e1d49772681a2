/* Put, get, values and fill, in all their forms, to the next node. */
#include <string.h>

#include "legacy.h"

#define BYTES 10000u

static char source[BYTES], back[BYTES];

/* A new pattern each time, so that nothing left over from the last form passes for this one's. */
static char* fresh_pattern(void) {
  static unsigned char turn = 0;
  unsigned i;
  ++turn;
  for (i = 0; i < BYTES; ++i) source[i] = (char)(i * 7 + turn + me);
  memset(back, 0, BYTES);
  return (char*)segments[next].addr + 64;
}

static void expect_round_trip(void) { CHECK(memcmp(source, back, BYTES) == 0); }

static void check_put_and_get(void) {
  gasnet_handle_t handle;
  char* there = fresh_pattern();
  gasnet_put(next, there, source, BYTES);
  gasnet_get(back, next, there, BYTES);
  expect_round_trip();

  there = fresh_pattern();
  gasnet_put_bulk(next, there, source, BYTES);
  gasnet_get_bulk(back, next, there, BYTES);
  expect_round_trip();

  there = fresh_pattern();
  handle = gasnet_put_nb(next, there, source, BYTES);
  memcpy(back, source, BYTES); /* not bulk: the source is free again at once */
  memset(source, 1, BYTES);
  gasnet_wait_syncnb(handle);
  memcpy(source, back, BYTES);
  memset(back, 0, BYTES);
  gasnet_wait_syncnb(gasnet_get_nb(back, next, there, BYTES));
  expect_round_trip();

  there = fresh_pattern();
  gasnet_wait_syncnb(gasnet_put_nb_bulk(next, there, source, BYTES));
  gasnet_wait_syncnb(gasnet_get_nb_bulk(back, next, there, BYTES));
  expect_round_trip();

  there = fresh_pattern();
  gasnet_put_nbi(next, there, source, BYTES);
  gasnet_wait_syncnbi_puts();
  gasnet_get_nbi(back, next, there, BYTES);
  gasnet_wait_syncnbi_gets();
  expect_round_trip();

  there = fresh_pattern();
  gasnet_put_nbi_bulk(next, there, source, BYTES);
  gasnet_wait_syncnbi_all();
  gasnet_get_nbi_bulk(back, next, there, BYTES);
  gasnet_wait_syncnbi_all();
  expect_round_trip();
}

static void check_values(void) {
  const gasnet_register_value_t all = (gasnet_register_value_t)0xa1b2c3d4e5f60718u;
  unsigned char* there = (unsigned char*)segments[next].addr + 64;
  size_t size;
  for (size = 1; size <= SIZEOF_GASNET_REGISTER_VALUE_T; ++size) {
    const gasnet_register_value_t mask = (gasnet_register_value_t)-1 >> (64 - 8 * size);
    gasnet_valget_handle_t first, second;
    gasnet_memset(next, there, 0x55, 32);
    gasnet_put_val(next, there, all, size);
    CHECK(gasnet_get_val(next, there, size) == (all & mask));
    CHECK(gasnet_get_val(next, there + size, 1) == 0x55); /* and nothing behind it */
    gasnet_wait_syncnb(gasnet_put_nb_val(next, there, ~all, size));
    CHECK(gasnet_get_val(next, there, size) == (~all & mask));
    gasnet_put_nbi_val(next, there + 8, all, size);
    gasnet_wait_syncnbi_puts();
    /* Two at once, waited for in the other order. */
    first = gasnet_get_nb_val(next, there, size);
    second = gasnet_get_nb_val(next, there + 8, size);
    CHECK(gasnet_wait_syncnb_valget(second) == (all & mask));
    CHECK(gasnet_wait_syncnb_valget(first) == (~all & mask));
  }
}

static void check_fill(void) {
  char* there = (char*)segments[next].addr + 64;
  unsigned i;
  gasnet_memset(next, there, 0, BYTES);
  gasnet_memset(next, there + 1, 0x1ff, BYTES - 2); /* only the low byte counts */
  gasnet_get(back, next, there, BYTES);
  CHECK(back[0] == 0 && back[BYTES - 1] == 0);
  for (i = 1; i < BYTES - 1; ++i) CHECK((unsigned char)back[i] == 0xff);
  gasnet_wait_syncnb(gasnet_memset_nb(next, there, 3, BYTES));
  gasnet_memset_nbi(next, there + 8, 4, 8);
  gasnet_wait_syncnbi_puts();
  gasnet_get(back, next, there, BYTES);
  CHECK(back[7] == 3 && back[8] == 4 && back[15] == 4 && back[16] == 3);
  /* Nothing at all is legal, and does nothing. */
  gasnet_memset(next, there, 9, 0);
  gasnet_put(next, there, source, 0);
  gasnet_get(back, next, there, 0);
  CHECK(gasnet_get_val(next, there, 1) == 3 && back[0] == 3);
}

void check_memory(void) {
  check_put_and_get();
  check_values();
  check_fill();
}
