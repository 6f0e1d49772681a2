#include "job.hpp"

int aqshmem::start_threaded(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* world) {
  return gex_Client_Init(client, endpoint, world, "shmem", nullptr, nullptr, 0);
}
