/* The harness of programs that must be C as well as C++: a failed check names itself and ends the program. */
#ifndef TESTS_TOOLS_CHECK_H_
#define TESTS_TOOLS_CHECK_H_

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

#endif
