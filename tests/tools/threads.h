/* Running the same function in several threads, in C and C++. */
#ifndef TESTS_TOOLS_THREADS_H_
#define TESTS_TOOLS_THREADS_H_

#include <pthread.h>

#include "../support/check.h"

#define MOST_THREADS 16

typedef void* (*thread_function)(void* index_as_pointer);

static inline void run_threads(int count, thread_function work) {
  pthread_t threads[MOST_THREADS];
  for (long index = 0; index < count; ++index) {
    CHECK(pthread_create(&threads[index], NULL, work, (void*)index) == 0);
  }
  for (int index = 0; index < count; ++index) CHECK(pthread_join(threads[index], NULL) == 0);
}

#endif
