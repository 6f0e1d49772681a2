/* `legacy` runs all parts; `legacy empty` attaches a segment of no bytes, which becomes one page. */
#include <stdlib.h>
#include <string.h>

#include "legacy.h"

gasnet_seginfo_t* segments;
gasnet_node_t me, nodes, next;

#define SEGMENT_BYTES (1u << 20)

void meet(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

int main(int argc, char** argv) {
  const int empty = argc > 1 && strcmp(argv[1], "empty") == 0;
  gasnet_handlerentry_t table[64];
  int handlers;
  CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
  me = gasnet_mynode();
  nodes = gasnet_nodes();
  next = (me + 1) % nodes;
  CHECK(gasnet_getMaxLocalSegmentSize() >= gasnet_getMaxGlobalSegmentSize());
  CHECK(gasnet_getMaxGlobalSegmentSize() >= SEGMENT_BYTES);
  handlers = describe_handlers(table);
  /* The heap is where it is; the last argument has no meaning any more. */
  CHECK(gasnet_attach(table, handlers, empty ? 0 : SEGMENT_BYTES, 12345) == GASNET_OK);
  segments = (gasnet_seginfo_t*)calloc(nodes, sizeof *segments);
  CHECK(gasnet_getSegmentInfo(segments, (int)nodes) == GASNET_OK);
  CHECK(segments[me].size == (empty ? GASNET_PAGESIZE : SEGMENT_BYTES));
  meet();
  if (!empty) {
    check_start();
    meet();
    check_messages();
    meet();
    check_memory();
    meet();
    check_vectors();
    meet();
    check_synchronisation();
  }
  meet();
  if (me == 0) printf("all parts passed on %u nodes\n", nodes);
  gasnet_exit(0);
  return 0;
}
