/* With which level of threads has the library started MPI, in a program that is not linked with MPI? */
#include <dlfcn.h>
#include <gasnetex.h>
#include <stdio.h>

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  int (*query)(int*);
  int level = -1;

  gex_Client_Init(&client, &endpoint, &team, "level", &argc, &argv, 0);
  *(void**)&query = dlsym(RTLD_DEFAULT, "MPI_Query_thread"); /* Open MPI's names are seen by everybody */
  if (query) query(&level);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 0) printf("MPI has level %d\n", level);
  gasnet_exit(0);
  return 0;
}
