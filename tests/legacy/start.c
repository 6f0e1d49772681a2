/* The start of a job, and the way from it to gasnetex.h. */
#include <stdlib.h>

#include "legacy.h"

#if GASNET_VERSION != 1 || GASNET_SPEC_VERSION_MAJOR != 1 || GASNET_SPEC_VERSION_MINOR < 8
#error "the version of the specification must be usable by the preprocessor"
#endif
#if SIZEOF_GASNET_REGISTER_VALUE_T < 4
#error "the size of values must be usable by the preprocessor"
#endif

static void check_second_start(void) {
  gasnet_handlerentry_t none = {0, NULL};
  gex_System_SetVerboseErrors(0);
  CHECK(gasnet_init(NULL, NULL) == GASNET_ERR_NOT_INIT);
  CHECK(gasnet_attach(&none, 0, GASNET_PAGESIZE, 0) == GASNET_ERR_NOT_INIT);
  gex_System_SetVerboseErrors(1);
}

static void check_objects(void) {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_EP_t ep = GEX_EP_INVALID;
  gex_TM_t tm = GEX_TM_INVALID;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gasnet_QueryGexObjects(NULL, NULL, NULL, NULL);
  gasnet_QueryGexObjects(&client, &ep, &tm, &segment);
  CHECK(gex_Client_QueryFlags(client) & GEX_FLAG_USES_GASNET1);
  CHECK(gex_EP_QueryClient(ep) == client);
  CHECK(gex_TM_QueryEP(tm) == ep);
  CHECK(gex_TM_QueryRank(tm) == me && gex_TM_QuerySize(tm) == nodes);
  CHECK(gex_Segment_QueryAddr(segment) == segments[me].addr);
  CHECK(gex_Segment_QuerySize(segment) == segments[me].size);
}

static void check_places(void) {
  gasnet_nodeinfo_t* places = (gasnet_nodeinfo_t*)calloc(nodes, sizeof *places);
  gex_RankInfo_t* neighbours;
  gex_Rank_t count, i;
  CHECK(gasnet_getNodeInfo(places, (int)nodes) == GASNET_OK);
  gex_System_QueryNbrhdInfo(&neighbours, &count, NULL);
  *(gasnet_node_t*)segments[me].addr = me;
  meet();
  for (i = 0; i < count; ++i) {
    const gasnet_node_t node = neighbours[i].gex_jobrank;
    CHECK(places[node].host == places[me].host);
    CHECK(places[node].supernode == places[me].supernode);
    /* A neighbour's address plus its offset is its memory, here. */
    CHECK(*(volatile gasnet_node_t*)((uintptr_t)segments[node].addr + (uintptr_t)places[node].offset) ==
          node);
  }
  gex_System_SetVerboseErrors(0);
  CHECK(gasnet_getNodeInfo(places, (int)nodes + 1) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_getNodeInfo(NULL, 1) == GASNET_ERR_BAD_ARG);
  gex_System_SetVerboseErrors(1);
  free(places);
}

void check_start(void) {
  check_second_start();
  check_objects();
  check_places();
}
