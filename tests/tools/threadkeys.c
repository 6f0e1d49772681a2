/* A key is NULL in every thread at first, and keeps what each thread puts in. */
#include "gasnet_tools.h"
#include "threads.h"

GASNETT_THREADKEY_DECLARE(here_key);
GASNETT_THREADKEY_DECLARE(there_key);
GASNETT_THREADKEY_DEFINE(here_key);

extern void* get_there_key(void); /* threadkeys_other.c */

static void* use_keys(void* index) {
  int mine = (int)(uintptr_t)index;
  CHECK(gasnett_threadkey_get(here_key) == NULL);
  gasnett_threadkey_set(here_key, &mine);
  gasnett_threadkey_init(there_key);
  gasnett_threadkey_init(there_key);
  CHECK(gasnett_threadkey_get_noinit(there_key) == NULL);
  gasnett_threadkey_set_noinit(there_key, (void*)&mine);
  gasnett_sched_yield();
  CHECK(gasnett_threadkey_get(here_key) == &mine);
  CHECK(get_there_key() == &mine);
  return NULL;
}

int main(void) {
  use_keys(NULL);
#if GASNETT_THREAD_SAFE
  void* before = gasnett_threadkey_get(here_key);
  run_threads(4, use_keys);
  CHECK(gasnett_threadkey_get(here_key) == before);
#endif
  return 0;
}
