/* A rank ends while its thread is away: "exit" by gasnet_exit in a handler on the progress thread, "leave" by
 * leaving main while that thread runs a handler, which comes to its end. */
#define _DEFAULT_SOURCE 1
#include <aqueduct/progress_thread.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_t client_thread;
static volatile int is_there;

static void say(const char* text) {
  printf("%s %s thread\n", text,
         pthread_equal(pthread_self(), client_thread) ? "the client's" : "the progress");
  fflush(stdout);
}

static void on_exit_request(gex_Token_t token) {
  (void)token;
  say("exits on");
  gasnet_exit(7);
}

static void on_long_request(gex_Token_t token) {
  (void)token;
  is_there = 1;
  usleep(300000);
  say("is over on");
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_AM_Entry_t handlers[] = {{GEX_AM_INDEX_BASE, (gex_AM_Fn_t)on_exit_request,
                                GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "exit"},
                               {GEX_AM_INDEX_BASE + 1, (gex_AM_Fn_t)on_long_request,
                                GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "long"}};
  const int exits = argc > 1 && strcmp(argv[1], "exit") == 0;

  client_thread = pthread_self();
  aqueduct_progress_thread(100);
  gex_Client_Init(&client, &endpoint, &team, "away", &argc, &argv, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 1) {
    usleep(100000); /* rank 0 is away then */
    gex_AM_RequestShort0(team, 0, exits ? GEX_AM_INDEX_BASE : GEX_AM_INDEX_BASE + 1, 0);
  }
  aqueduct_away();
  while (exits || (gex_TM_QueryRank(team) == 0 && !is_there)) usleep(1000);
  return 0;
}
