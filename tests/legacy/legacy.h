/* A GASNet-1 program in parts: `main` starts the job through gasnet_init and gasnet_attach, as old programs
 * do, and calls each part on every node. C99 as well as C++11. A failed check names itself and ends the job.
 */
#ifndef TESTS_LEGACY_LEGACY_H_
#define TESTS_LEGACY_LEGACY_H_

#include <gasnet.h>
#include <stdio.h>

#define CHECK(condition)                                                                            \
  do {                                                                                              \
    if (!(condition)) {                                                                             \
      fprintf(stderr, "%s:%d: not true on node %d: %s\n", __FILE__, __LINE__, (int)gasnet_mynode(), \
              #condition);                                                                          \
      gasnet_exit(1);                                                                               \
    }                                                                                               \
  } while (0)

#ifdef __cplusplus
extern "C" {
#endif

/* Of all nodes. */
extern gasnet_seginfo_t* segments;
extern gasnet_node_t me, nodes, next; /* the node after this one, in a ring */

/* All nodes meet. */
void meet(void);

/* The parts. */
void check_start(void);
void check_messages(void);
void check_memory(void);
void check_vectors(void);
void check_synchronisation(void);

/* The handlers of the messages part, for gasnet_attach. Answers how many there are. */
int describe_handlers(gasnet_handlerentry_t* table);

#ifdef __cplusplus
}
#endif

#endif
