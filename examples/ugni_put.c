/* uGNI on a laptop: every process puts a number into the memory of the next one, which is told by an event.
 *
 *   aqueduct run -n 3 ugni_put 3
 */
#include <gni_pub.h>
#include <stdio.h>
#include <stdlib.h>

#define COOKIE 42

static void must(gni_return_t code, const char* what) {
  if (code == GNI_RC_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, gni_err_str[code]);
  exit(1);
}

/* What a process tells those who will put into its memory. */
typedef struct {
  uint64_t address;
  gni_mem_handle_t memory;
} card_t;

static uint64_t inbox;

int main(int argc, char** argv) {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t posted, arrived;
  gni_ep_handle_t next, previous;
  uint32_t rank, cpu, address, id;
  const uint32_t ranks = argc > 1 ? (uint32_t)atoi(argv[1]) : 1; /* uGNI does not say; on a Cray PMI does */

  /* A domain, by convention with the rank as its instance id; addresses are ranks here. */
  must(GNI_CdmGetNicAddress(0, &rank, &cpu), "address");
  must(GNI_CdmCreate(rank, GNI_FIND_ALLOC_PTAG, COOKIE, GNI_CDM_MODE_FMA_SHARED, &domain), "domain");
  must(GNI_CdmAttach(domain, 0, &address, &nic), "attach");

  /* Memory that others may write, with a queue that says when they did. */
  must(GNI_CqCreate(nic, 8, 0, GNI_CQ_BLOCKING, NULL, NULL, &posted), "queue of posts");
  must(GNI_CqCreate(nic, 8, 0, GNI_CQ_BLOCKING, NULL, NULL, &arrived), "queue of arrivals");
  card_t mine = {(uint64_t)(uintptr_t)&inbox, {0, 0}}, theirs;
  must(GNI_MemRegister(nic, mine.address, sizeof inbox, arrived, GNI_MEM_READWRITE, (uint32_t)-1,
                       &mine.memory),
       "register");

  /* Neighbours on the ring meet by datagrams: the next one tells us where to put. */
  const uint32_t right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  must(GNI_EpCreate(nic, posted, &next), "endpoint");
  must(GNI_EpBind(next, right, right), "bind");
  must(GNI_EpCreate(nic, posted, &previous), "endpoint");
  must(GNI_EpBind(previous, left, left), "bind");
  card_t unused;
  gni_post_state_t state;
  must(GNI_EpPostData(next, &mine, sizeof mine, &theirs, sizeof theirs), "datagram to the next");
  if (right != left) {
    must(GNI_EpPostData(previous, &mine, sizeof mine, &unused, sizeof unused), "datagram to the previous");
    must(GNI_EpPostDataWait(previous, (uint32_t)-1, &state, &address, &id), "wait for the previous");
  }
  must(GNI_EpPostDataWait(next, (uint32_t)-1, &state, &address, &id), "wait for the next");

  uint64_t number = 100 + rank;
  gni_post_descriptor_t put = {0};
  put.type = GNI_POST_FMA_PUT;
  put.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  put.local_addr = (uint64_t)(uintptr_t)&number;
  put.remote_addr = theirs.address;
  put.remote_mem_hndl = theirs.memory;
  put.length = sizeof number;
  must(GNI_PostFma(next, &put), "put");

  gni_cq_entry_t entry;
  gni_post_descriptor_t* done;
  must(GNI_CqWaitEvent(posted, (uint64_t)-1, &entry), "wait for our put");
  must(GNI_GetCompleted(posted, entry, &done), "completion");
  must(GNI_CqWaitEvent(arrived, (uint64_t)-1, &entry), "wait for the other's put");
  printf("rank %u holds %llu from rank %llu\n", rank, (unsigned long long)inbox,
         (unsigned long long)GNI_CQ_GET_REM_INST_ID(entry));
  must(GNI_CdmDestroy(domain), "destroy");
  return 0;
}
