/* A program in which rank 2 comes to grief, in the way that it is told. */
#include <gasnetex.h>
#include <string.h>

static volatile int flag;
__attribute__((noinline)) static void wait_for_flag(void) {
  while (!flag) {
  }
}
__attribute__((noinline)) static void crash(volatile int* address) { *address = 3; }

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t team;
  const char* const how = argc > 1 ? argv[1] : "";
  gex_Client_Init(&client, &ep, &team, "grief", &argc, &argv, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 2) {
    if (!strcmp(how, "crash")) crash((volatile int*)8);
    if (!strcmp(how, "stray")) crash((volatile int*)((size_t)&flag + 0x10000000));
    if (!strcmp(how, "spin")) wait_for_flag();
    if (!strcmp(how, "hang")) GASNET_BLOCKUNTIL(flag);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  return 0;
}
