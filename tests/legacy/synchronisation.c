/* Handles, implicit operations, access regions, locks and the barrier. */
#include <string.h>

#include "legacy.h"

enum { kOperations = 20 };

static uint64_t values[kOperations], fetched[kOperations];

static uint64_t* place(int i) { return (uint64_t*)segments[next].addr + i; }

static void start(gasnet_handle_t* handles, uint64_t seed) {
  int i;
  for (i = 0; i < kOperations; ++i) {
    values[i] = seed * 100 + (uint64_t)i;
    handles[i] = gasnet_put_nb(next, place(i), &values[i], sizeof values[i]);
  }
}

static void expect_arrived(void) {
  int i;
  for (i = 0; i < kOperations; ++i) CHECK(gasnet_get_val(next, place(i), 8) == values[i]);
}

static int left(const gasnet_handle_t* handles) {
  int i, count = 0;
  for (i = 0; i < kOperations; ++i) count += handles[i] != GASNET_INVALID_HANDLE;
  return count;
}

static void check_handles(void) {
  gasnet_handle_t handles[kOperations];
  int i;
  CHECK(gasnet_try_syncnb(GASNET_INVALID_HANDLE) == GASNET_OK);
  CHECK(gasnet_try_syncnb_nopoll(GASNET_INVALID_HANDLE) == GASNET_OK);
  gasnet_wait_syncnb(GASNET_INVALID_HANDLE);

  start(handles, 1);
  gasnet_wait_syncnb_all(handles, kOperations);
  CHECK(left(handles) == 0);
  expect_arrived();

  start(handles, 2);
  while (left(handles) > 0) {
    const int before = left(handles);
    gasnet_wait_syncnb_some(handles, kOperations);
    CHECK(left(handles) < before);
  }
  expect_arrived();
  /* Nothing but finished ones: everything that there was is done. */
  gasnet_wait_syncnb_some(handles, kOperations);
  CHECK(gasnet_try_syncnb_some(handles, kOperations) == GASNET_OK);
  CHECK(gasnet_try_syncnb_all(handles, kOperations) == GASNET_OK);

  start(handles, 3);
  for (i = 0; i < kOperations; ++i)
    while (gasnet_try_syncnb(handles[i]) == GASNET_ERR_NOT_READY) {
    }
  expect_arrived();

  start(handles, 4);
  while (gasnet_try_syncnb_all(handles, kOperations) == GASNET_ERR_NOT_READY) {
  }
  CHECK(left(handles) == 0);
  expect_arrived();

  start(handles, 5);
  while (left(handles) > 0) (void)gasnet_try_syncnb_some(handles, kOperations);
  expect_arrived();

  start(handles, 6);
  while (gasnet_try_syncnb_all_nopoll(handles, kOperations) != GASNET_OK) {
    (void)gasnet_try_syncnb_some_nopoll(handles, kOperations);
    CHECK(gasnet_AMPoll() == GASNET_OK);
  }
  expect_arrived();
}

static void put_all_implicitly(uint64_t seed) {
  int i;
  for (i = 0; i < kOperations; ++i) {
    values[i] = seed * 100 + (uint64_t)i;
    gasnet_put_nbi(next, place(i), &values[i], sizeof values[i]);
  }
}

static void get_all_implicitly(void) {
  int i;
  for (i = 0; i < kOperations; ++i) gasnet_get_nbi(&fetched[i], next, place(i), sizeof fetched[i]);
}

static void check_implicit_operations(void) {
  gasnet_handle_t region;
  put_all_implicitly(10);
  while (gasnet_try_syncnbi_puts() == GASNET_ERR_NOT_READY) {
  }
  get_all_implicitly();
  while (gasnet_try_syncnbi_gets() == GASNET_ERR_NOT_READY) {
  }
  CHECK(memcmp(values, fetched, sizeof values) == 0);
  CHECK(gasnet_try_syncnbi_all() == GASNET_OK);

  gasnet_begin_nbi_accessregion();
  put_all_implicitly(11);
  region = gasnet_end_nbi_accessregion();
  CHECK(gasnet_try_syncnbi_all() == GASNET_OK); /* the region's operations are not among them */
  gasnet_wait_syncnb(region);
  expect_arrived();
}

static void check_locks(void) {
  static gasnet_hsl_t at_rest = GASNET_HSL_INITIALIZER;
  gasnet_hsl_t lock;
  gasnet_hsl_init(&lock);
  CHECK(gasnet_hsl_trylock(&lock) == GASNET_OK);
  gasnet_hsl_lock(&at_rest);
  gasnet_hsl_unlock(&at_rest);
  gasnet_hsl_unlock(&lock);
  gasnet_hsl_destroy(&lock);
  gasnet_hold_interrupts();
  gasnet_resume_interrupts();
}

static void check_barrier(void) {
  int result;
  gasnet_barrier_notify(42, 0);
  while ((result = gasnet_barrier_try(42, 0)) == GASNET_ERR_NOT_READY) {
  }
  CHECK(result == GASNET_OK);
  gex_System_SetVerboseErrors(0);
  gasnet_barrier_notify((int)me, 0);
  result = gasnet_barrier_wait((int)me, 0);
  CHECK(result == (nodes > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
  gex_System_SetVerboseErrors(1);
}

void check_synchronisation(void) {
  check_handles();
  check_implicit_operations();
  check_locks();
  check_barrier();
  CHECK(gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK) == GASNET_OK);
}
