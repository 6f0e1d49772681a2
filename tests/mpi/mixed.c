/* A program that uses MPI and the library by turns. With "first" it starts MPI itself, before the library,
 * for one thread at a time. With "away" it asks for a progress thread, and is away when it calls MPI: the
 * thread may run handlers then, unless MPI takes one thread at a time. */
#define _DEFAULT_SOURCE 1
#include <aqueduct/progress_thread.h>
#include <gasnetex.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int received, received_elsewhere;
static pthread_t program_thread;

static void take(gex_Token_t token, gex_AM_Arg_t value) {
  (void)token;
  received += value;
  if (!pthread_equal(pthread_self(), program_thread)) ++received_elsewhere;
}

static int is_asked(int argc, char** argv, const char* word) {
  int i;
  for (i = 1; i < argc; ++i) {
    if (strcmp(argv[i], word) == 0) return 1;
  }
  return 0;
}

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "mixed: %s\n", what);
  gasnet_exit(1);
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_AM_Entry_t handlers[] = {
      {GEX_AM_INDEX_BASE, (gex_AM_Fn_t)take, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "take"}};
  gex_Segment_t segment;
  int level, is_started, rank, size, round;
  const int is_first = is_asked(argc, argv, "first"), is_away = is_asked(argc, argv, "away");

  program_thread = pthread_self();
  if (is_first) MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  if (is_away) aqueduct_progress_thread(100);
  gex_Client_Init(&client, &endpoint, &team, "mixed", &argc, &argv, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 1);
  require(gex_Segment_Attach(&segment, team, 1 << 16) == GASNET_OK, "no segment");
  MPI_Initialized(&is_started);
  require(is_started, "MPI is not started");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  require((gex_Rank_t)size == gex_TM_QuerySize(team) && (gex_Rank_t)rank == gex_TM_QueryRank(team),
          "MPI counts other ranks");
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));

  for (round = 1; round <= 50; ++round) {
    int to = (rank + 1) % size, from = (rank + size - 1) % size, word = rank + round, heard = -1;
    gex_AM_RequestShort1(team, (gex_Rank_t)to, GEX_AM_INDEX_BASE, 0, round);
    if (is_away) aqueduct_away();
    /* The tag is one that the conduit uses, too, on its own communicator. */
    MPI_Sendrecv(&word, 1, MPI_INT, to, 1, &heard, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is_away) {
      usleep(2000);
      aqueduct_back();
    }
    require(heard == from + round, "another message came");
    GASNET_BLOCKUNTIL(received >= round * (round + 1) / 2);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  require(!is_first || received_elsewhere == 0, "two threads have called an MPI for one at a time");
  require(is_first || !is_away || received_elsewhere != 0, "the progress thread has run no handler");
  if (is_first) MPI_Finalize();
  if (rank == 0) printf("mixed: %d ranks, %d rounds\n", size, round - 1);
  gasnet_exit(0);
  return 0;
}
