/* A program that uses the tools alone. */
#include <gasnet_tools.h>
#include <stdio.h>

int main(void) {
  const gasnett_tick_t before = gasnett_ticks_now();
  gasnett_atomic_t counter = gasnett_atomic_init(41);
  gasnett_atomic_increment(&counter, 0);
  printf("counted to %d, the clock %s\n", (int)gasnett_atomic_read(&counter, 0),
         gasnett_ticks_now() >= before ? "runs" : "stands");
  return 0;
}
