/* Says which plug-in is mapped into the process. */
#include <gasnetex.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Client_Init(&client, &endpoint, &team, "papers", &argc, &argv, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));

  char line[4096], plugin[256] = "no plug-in";
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    const char* const name = strstr(line, "libaqueduct-conduit-");
    if (name) snprintf(plugin, sizeof plugin, "%.*s", (int)strcspn(name, "\n"), name);
  }
  if (maps) fclose(maps);
  printf("rank %u of %u: %s\n", gex_TM_QueryRank(team), gex_TM_QuerySize(team), plugin);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_exit(0);
}
