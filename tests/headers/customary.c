/* What programs use without asking for it, because GASNet's headers bring it along. Nothing else is included
 * here: that is the test. */
#ifndef THE_ONLY_HEADER
#define THE_ONLY_HEADER "gasnetex.h"
#endif
#include THE_ONLY_HEADER

static volatile sig_atomic_t signals_seen = 0;
static void on_signal(int number) { signals_seen = number; }

static void* add_one(void* number) {
  ++*(int*)number;
  return number;
}

int main(void) {
  int failures = 0;
  int number = 1;
  void* result = NULL;
  pthread_t thread;
  char text[64];
  char* const copy = (char*)alloca(sizeof text);

  snprintf(text, sizeof text, "%" PRIu64, (uint64_t)UINT64_MAX);
  memcpy(copy, text, sizeof text);
  errno = 0;
  failures += strtoull(copy, NULL, 10) != UINT64_MAX || errno == ERANGE;
  failures += !isdigit((unsigned char)copy[0]);
  failures += MIN(INT_MIN, INT_MAX) != INT_MIN || MAX(INT_MIN, INT_MAX) != INT_MAX;

  failures += pthread_create(&thread, NULL, add_one, &number) != 0;
  failures += pthread_join(thread, &result) != 0 || result != &number || number != 2;
  failures += sched_yield() != 0;

  signal(SIGTERM, on_signal);
  raise(SIGTERM);
  failures += signals_seen != SIGTERM;

  failures += getpid() <= (pid_t)0 || time(NULL) == (time_t)-1;
  if (failures != 0) fprintf(stderr, "%d checks failed\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
