/* VELO on a laptop: every process sends a number to the next one.
 *
 *   aqueduct run -n 3 velo_ring 3
 */
#include <stdio.h>
#include <stdlib.h>
#include <velo2.h>

static void must(velo2_ret_t code, const char* what) {
  if (code == VELO2_RET_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, velo2_strerror(code));
  exit(1);
}

int main(int argc, char** argv) {
  const unsigned ranks = argc > 1 ? (unsigned)atoi(argv[1]) : 1; /* VELO does not say */
  velo2_port_t port;
  velo2_connection_t next;
  must(velo2_open(&port), "open");
  const unsigned rank = velo2_get_nodeid(&port);
  must(velo2_connect(&port, &next, (velo2_nodeid_t)((rank + 1) % ranks), 0), "connect");

  /* A message waits for a process that has not opened its first port yet. */
  uint32_t number = 100 + rank, length, source;
  uint8_t tag;
  velo2_ret_t code;
  while ((code = velo2_send(&next, &number, sizeof number, 7, 0)) == VELO2_RET_TRY_AGAIN)
    must(velo2_wait_send(&next), "wait for a credit");
  must(code, "send");
  must(velo2_recv(&port, &number, sizeof number, &length, &source, &tag, VELO2_MTT_ANY), "receive");
  printf("rank %u was sent %u by rank %u\n", rank, (unsigned)number, (unsigned)VELO2_ADDR_NODE(source));
  must(velo2_close(&port), "close");
  return 0;
}
