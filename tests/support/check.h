/* The smallest possible test harness, for programs that must be C as well as C++. */
#ifndef TESTS_SUPPORT_CHECK_H_
#define TESTS_SUPPORT_CHECK_H_

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the condition's text and place if it does not hold. */
#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

#ifdef __cplusplus
#define STATIC_CHECK(condition) static_assert(condition, #condition)
#elif __STDC_VERSION__ >= 201112L
#define STATIC_CHECK(condition) _Static_assert(condition, #condition)
#else
#define STATIC_CHECK(condition) extern int static_check_[(condition) ? 1 : -1]
#endif

#endif
