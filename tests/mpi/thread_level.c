/* Two threads communicate. With "single", "funneled" or "serialized" the program starts MPI itself, before
   the library, and asks for that level. */
#include <gasnetex.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static gex_TM_t team;
static atomic_int received;

static void take(gex_Token_t token) {
  (void)token;
  atomic_fetch_add(&received, 1);
}

static void* send_one(void* unused) {
  const gex_Rank_t next = (gex_TM_QueryRank(team) + 1) % gex_TM_QuerySize(team);
  gex_AM_RequestShort0(team, next, GEX_AM_INDEX_BASE, 0);
  return unused;
}

static int level_named(const char* name) {
  if (strcmp(name, "single") == 0) return MPI_THREAD_SINGLE;
  return strcmp(name, "funneled") == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_AM_Entry_t handlers[] = {
      {GEX_AM_INDEX_BASE, (gex_AM_Fn_t)take, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "take"}};
  pthread_t second;
  int level;

  if (argc > 1) MPI_Init_thread(&argc, &argv, level_named(argv[1]), &level);
  gex_Client_Init(&client, &endpoint, &team, "thread_level", &argc, &argv, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 1);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  send_one(NULL);
  pthread_create(&second, NULL, send_one, NULL);
  pthread_join(second, NULL);
  GASNET_BLOCKUNTIL(atomic_load(&received) == 2);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (argc > 1) MPI_Finalize();
  if (gex_TM_QueryRank(team) == 0) printf("two threads have communicated\n");
  gasnet_exit(0);
  return 0;
}
