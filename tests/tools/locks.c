/* Mutexes, condition variables and reader-writer locks: exclusion, waking, and what trying returns. */
#include <errno.h>
#include <string.h>

#include "gasnet_tools.h"
#include "threads.h"

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static struct {
  char before;
  gasnett_cond_t condition;
  gasnett_mutex_t mutex;
} pair = {0, GASNETT_COND_INITIALIZER, GASNETT_MUTEX_INITIALIZER};
static gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;

/* Initialisers are zeros, which must also be what the system's locks start as. */
static void test_initialisers(void) {
  const pthread_mutex_t native_mutex = PTHREAD_MUTEX_INITIALIZER;
  const pthread_cond_t native_condition = PTHREAD_COND_INITIALIZER;
  const pthread_rwlock_t native_rwlock = PTHREAD_RWLOCK_INITIALIZER;
  CHECK(memcmp(&native_mutex, &mutex, sizeof native_mutex) == 0);
  CHECK(memcmp(&native_condition, &pair.condition, sizeof native_condition) == 0);
  CHECK(memcmp(&native_rwlock, &rwlock, sizeof native_rwlock) == 0);
}

/* What one thread can do in every mode. */
static void test_alone(void) {
  gasnett_mutex_t own;
  gasnett_cond_t condition;
  gasnett_rwlock_t readable;
  memset(&own, 0x5a, sizeof own);
  memset(&readable, 0x5a, sizeof readable);
  gasnett_mutex_init(&own);
  gasnett_mutex_assertunlocked(&own);
  gasnett_mutex_lock(&own);
  gasnett_mutex_assertlocked(&own);
  gasnett_mutex_unlock(&own);
  CHECK(gasnett_mutex_trylock(&own) == 0);
  gasnett_mutex_unlock(&own);
  gasnett_mutex_destroy(&own);
  gasnett_mutex_init(&own);
  CHECK(gasnett_mutex_destroy_ignoreerr(&own) == 0);

  gasnett_cond_init(&condition);
  gasnett_cond_signal(&condition);
  gasnett_cond_broadcast(&condition);
  gasnett_cond_destroy(&condition);

  gasnett_rwlock_init(&readable);
  gasnett_rwlock_assertunlocked(&readable);
  gasnett_rwlock_rdlock(&readable);
  gasnett_rwlock_assertrdlocked(&readable);
  gasnett_rwlock_assertlocked(&readable);
  gasnett_rwlock_unlock(&readable);
  gasnett_rwlock_wrlock(&readable);
  gasnett_rwlock_assertwrlocked(&readable);
  gasnett_rwlock_assertlocked(&readable);
  gasnett_rwlock_unlock(&readable);
  CHECK(gasnett_rwlock_tryrdlock(&readable) == 0);
  gasnett_rwlock_unlock(&readable);
  CHECK(gasnett_rwlock_trywrlock(&readable) == 0);
  gasnett_rwlock_unlock(&readable);
  gasnett_rwlock_destroy(&readable);
}

#if GASNETT_THREAD_SAFE || GASNETT_USE_TRUE_MUTEXES

enum { kThreads = 4, kRounds = 2000 };
static int counter, turn, first, second;

static void* count(void* unused) {
  (void)unused;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 2) {
      gasnett_mutex_lock(&mutex);
    } else {
      while (gasnett_mutex_trylock(&mutex) == EBUSY) gasnett_sched_yield();
    }
    ++counter;
    gasnett_mutex_unlock(&mutex);
  }
  return NULL;
}

static void* take_turns(void* index) {
  for (int round = 0; round < kRounds / 20; ++round) {
    gasnett_mutex_lock(&pair.mutex);
    while (turn % kThreads != (int)(uintptr_t)index) gasnett_cond_wait(&pair.condition, &pair.mutex);
    gasnett_mutex_assertlocked(&pair.mutex);
    ++turn;
    gasnett_cond_broadcast(&pair.condition);
    gasnett_mutex_unlock(&pair.mutex);
  }
  return NULL;
}

static void* read_and_write(void* unused) {
  (void)unused;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 8 == 0) {
      gasnett_rwlock_wrlock(&rwlock);
      ++first;
      ++second;
    } else {
      gasnett_rwlock_rdlock(&rwlock);
      CHECK(first == second);
    }
    gasnett_rwlock_unlock(&rwlock);
  }
  return NULL;
}

/* With the lock held by main: for reading (0), or for writing. */
static void* try_everything(void* written) {
  const int how = (int)(uintptr_t)written;
  CHECK(gasnett_mutex_trylock(&mutex) == EBUSY);
  gasnett_mutex_assertunlocked(&mutex);
  const int read = gasnett_rwlock_tryrdlock(&rwlock);
  if (how == 0) {
    CHECK(read == 0);
    gasnett_rwlock_unlock(&rwlock);
  } else {
    CHECK(read == EBUSY || read == EAGAIN);
  }
  const int write = gasnett_rwlock_trywrlock(&rwlock);
  CHECK(write == EBUSY || write == EAGAIN);
  return NULL;
}

static void try_in_another_thread(int written) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, try_everything, (void*)(uintptr_t)written) == 0);
  CHECK(pthread_join(other, NULL) == 0);
}

static void test_together(void) {
  run_threads(kThreads, count);
  CHECK(counter == kThreads * kRounds);
  run_threads(kThreads, take_turns);
  CHECK(turn == kThreads * (kRounds / 20));
  run_threads(kThreads, read_and_write);
  CHECK(first == kThreads * kRounds / 8);

  gasnett_mutex_lock(&mutex);
  gasnett_rwlock_rdlock(&rwlock);
  try_in_another_thread(0);
  gasnett_rwlock_unlock(&rwlock);
  gasnett_rwlock_wrlock(&rwlock);
  try_in_another_thread(1);
  gasnett_rwlock_unlock(&rwlock);
  CHECK(gasnett_mutex_destroy_ignoreerr(&mutex) == EBUSY);
  gasnett_mutex_unlock(&mutex);
}

#else

static void test_together(void) {}

#endif

int main(void) {
  test_initialisers();
  test_alone();
  test_together();
  return 0;
}
