/* A client whose second thread takes a handler-safe lock and keeps it, while the first waits for it. */
#include <gasnetex.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static volatile int is_held;
static volatile int for_ever = 1;

static void* hold_lock(void* nothing) {
  gasnet_AMPoll();
  gex_HSL_Lock(&lock);
  is_held = 1;
  while (for_ever) usleep(1000);
  return nothing;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  pthread_t holder;
  gex_Client_Init(&client, &endpoint, &world, "held_lock", &argc, &argv, 0);
  pthread_create(&holder, NULL, hold_lock, NULL);
  while (!is_held) usleep(1000);
  puts("ready");
  fflush(stdout);
  gex_HSL_Lock(&lock);
  return 0;
}
