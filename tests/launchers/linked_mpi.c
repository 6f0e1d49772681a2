/* What the library sees of an MPI that a program is linked with. TEST_MPI_STARTED: the program has started
   it. */
#include <stdlib.h>

int MPI_Init(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  return 0;
}

int MPI_Initialized(int* is_started) {
  *is_started = getenv("TEST_MPI_STARTED") != NULL;
  return 0;
}
