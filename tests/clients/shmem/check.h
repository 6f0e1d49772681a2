/* A check that fails ends the job with one line that says where. */
#ifndef TEST_SHMEM_CHECK_H_
#define TEST_SHMEM_CHECK_H_

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                            \
  do {                                                                                              \
    if (!(condition)) {                                                                             \
      fprintf(stderr, "PE %d: %s:%d: not so: %s\n", shmem_my_pe(), __FILE__, __LINE__, #condition); \
      shmem_global_exit(1);                                                                         \
    }                                                                                               \
  } while (0)

#define CHECK_EQUAL(left, right)                                                                       \
  do {                                                                                                 \
    const long long left_ = (long long)(left), right_ = (long long)(right);                            \
    if (left_ != right_) {                                                                             \
      fprintf(stderr, "PE %d: %s:%d: %s is %lld, and %s is %lld\n", shmem_my_pe(), __FILE__, __LINE__, \
              #left, left_, #right, right_);                                                           \
      shmem_global_exit(1);                                                                            \
    }                                                                                                  \
  } while (0)

#endif
