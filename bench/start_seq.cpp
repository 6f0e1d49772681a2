#define GASNET_SEQ 1
#include "start.hpp"

namespace aqueduct::bench {

int start_seq(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team) {
  return gex_Client_Init(client, endpoint, team, "aqueduct-bench", nullptr, nullptr, 0);
}

}  // namespace aqueduct::bench
