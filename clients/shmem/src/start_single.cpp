// For programs with one thread in the library: what is promised here spares it locks.
#undef GASNET_PAR
#define GASNET_SEQ 1
#include "job.hpp"

int aqshmem::start_single(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* world) {
  return gex_Client_Init(client, endpoint, world, "shmem", nullptr, nullptr, 0);
}
