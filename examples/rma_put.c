/* RMA on a laptop: every process puts a number into the memory of the next one, which is notified.
 *
 *   aqueduct run -n 3 rma_put 3
 */
#include <rma2.h>
#include <stdio.h>
#include <stdlib.h>
#include <velo2.h>

static void must(RMA2_ERROR code, const char* what) {
  if (code == RMA2_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, rma2_strerror(code));
  exit(1);
}

static void must_velo(velo2_ret_t code, const char* what) {
  if (code == VELO2_RET_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, velo2_strerror(code));
  exit(1);
}

static uint64_t inbox, outbox;

int main(int argc, char** argv) {
  const unsigned ranks = argc > 1 ? (unsigned)atoi(argv[1]) : 1; /* EXTOLL does not say */
  RMA2_Port port;
  RMA2_Region *in, *out;
  RMA2_NLA mine, theirs;
  must(rma2_open(&port), "open");
  must(rma2_register(port, &inbox, sizeof inbox, &in), "register");
  must(rma2_register(port, &outbox, sizeof outbox, &out), "register");
  must(rma2_get_nla(in, 0, &mine), "address");

  /* Addresses are told by VELO: the next process tells us where to put. */
  const unsigned rank = rma2_get_nodeid(port), right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  velo2_port_t mail;
  velo2_connection_t previous;
  must_velo(velo2_open(&mail), "open");
  must_velo(velo2_connect(&mail, &previous, (velo2_nodeid_t)left, 0), "connect");
  must_velo(velo2_send(&previous, &mine, sizeof mine, 0, 0), "tell the address");
  must_velo(velo2_recv(&mail, &theirs, sizeof theirs, NULL, NULL, NULL, VELO2_MTT_ANY), "hear an address");

  RMA2_Handle next;
  RMA2_Notification* told;
  outbox = 100 + rank;
  must(rma2_connect(port, (RMA2_Nodeid)right, 0, RMA2_CONN_DEFAULT, &next), "connect");
  must(rma2_post_put_qw(port, next, out, 0, sizeof outbox, theirs, RMA2_REQCOMPL_NOTIFICATION,
                        RMA2_CMD_DEFAULT),
       "put");
  must(rma2_noti_match(port, RMA2_PUTS, (RMA2_Nodeid)right, RMA2_VPID_ANY, RMA2_REQUESTER_NOTIFICATION,
                       RMA2_ANY_NLA, RMA2_BLOCK_FLAG, &told),
       "our put has left");
  must(rma2_noti_free(port, told), "free");
  must(rma2_noti_match(port, RMA2_PUTS, (RMA2_Nodeid)left, RMA2_VPID_ANY, RMA2_COMPLETER_NOTIFICATION, mine,
                       RMA2_BLOCK_FLAG, &told),
       "the other's put is here");
  printf("rank %u holds %llu from rank %u\n", rank, (unsigned long long)inbox,
         (unsigned)rma2_noti_get_remote_nodeid(told));
  must(rma2_noti_free(port, told), "free");
  return 0;
}
