/* Ticks grow, agree with the system's clock, and convert consistently; sleeping takes as long as it should.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>

#include "gasnet_tools.h"
#include "threads.h"

static pthread_t sleeper;

static void nothing(int signal) { (void)signal; }

static void* interrupt(void* unused) {
  (void)unused;
  gasnett_nsleep(50000000);
  CHECK(pthread_kill(sleeper, SIGUSR1) == 0);
  return NULL;
}

static void test_interrupted_sleep(void) {
  pthread_t other;
  sleeper = pthread_self();
  CHECK(gasnett_reghandler(SIGUSR1, nothing) == SIG_DFL);
  CHECK(pthread_create(&other, NULL, interrupt, NULL) == 0);
  errno = 0;
  CHECK(gasnett_nsleep(10000000000u) != 0);
  CHECK(errno == EINTR);
  CHECK(pthread_join(other, NULL) == 0);
}

int main(void) {
  gasnett_tick_t before = gasnett_ticks_now();
  CHECK(before > GASNETT_TICK_MIN && before < GASNETT_TICK_MAX);
  for (int reading = 0; reading < 100000; ++reading) {
    const gasnett_tick_t after = gasnett_ticks_now();
    CHECK(after >= before);
    before = after;
  }

  CHECK(gasnett_nsleep(0) == 0);
  const uint64_t sleep_ns = 100000000;
  const uint64_t clock_us = gasnett_gettimeofday_us();
  const gasnett_tick_t start = gasnett_ticks_now();
  CHECK(gasnett_nsleep(sleep_ns) == 0);
  const gasnett_tick_t end = gasnett_ticks_now();
  const double reference_us = (double)(gasnett_gettimeofday_us() - clock_us);
  const double elapsed_us = (double)gasnett_ticks_to_us(end - start);
  CHECK(gasnett_ticks_to_ns(end - start) >= sleep_ns - sleep_ns / 1000);
  /* A busy machine may stop us between the readings of the two clocks, which no tolerance of a rate covers.
   */
  CHECK(fabs(elapsed_us - reference_us) < 0.01 * reference_us + 20000);

  const uint64_t whole = gasnett_ticks_to_us(end) - gasnett_ticks_to_us(start);
  const uint64_t part = gasnett_ticks_to_us(end - start);
  CHECK(whole + 1 >= part && part + 1 >= whole);
  CHECK(gasnett_ticks_to_us(end) == gasnett_ticks_to_ns(end) / 1000);
  CHECK(gasnett_ticks_to_ns(0) == 0);

  CHECK(gasnett_tick_granularityus() > 0 && gasnett_tick_granularityus() < 1000);
  CHECK(gasnett_tick_overheadus() > 0 && gasnett_tick_overheadus() < 1000);
  CHECK(clock_us > 1500000000000000u); /* after 2017 */
  test_interrupted_sleep();
  return 0;
}
