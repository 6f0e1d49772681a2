/* What a program sees of the libraries below its conduit. Each rank starts the library and then
 *   foreign maps     prints the shared objects that it has mapped
 *   foreign state    prints what the start has changed in the process, or "unchanged"
 *   foreign abort, segv, term, exit    ends so (rank 1 does; the others wait)
 */
#include <fenv.h>
#include <gasnetex.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;
#define SIGNALS 65

static struct {
  struct sigaction actions[SIGNALS];
  sigset_t mask;
  char environment[65536];
  int rounding;
  char locale[256];
  mode_t umask;
  char directory[4096];
} before, after;

static int by_text(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

/* Without what the library itself takes out of the environment of a rank. */
static void copy_environment(char* to, size_t room) {
  static char* sorted[4096];
  size_t count = 0;
  for (char** each = environ; *each && count < 4096; ++each) {
    if (strncmp(*each, "AQUEDUCT_", 9) != 0) sorted[count++] = *each;
  }
  qsort(sorted, count, sizeof sorted[0], by_text);
  to[0] = 0;
  for (size_t i = 0; i < count; ++i) {
    if (strlen(to) + strlen(sorted[i]) + 2 > room) exit(9);
    strcat(strcat(to, sorted[i]), "\n");
  }
}

#define LOOK(into)                                                            \
  do {                                                                        \
    for (int s = 1; s < SIGNALS; ++s) sigaction(s, NULL, &into.actions[s]);   \
    pthread_sigmask(SIG_SETMASK, NULL, &into.mask);                           \
    copy_environment(into.environment, sizeof into.environment);              \
    into.rounding = fegetround();                                             \
    snprintf(into.locale, sizeof into.locale, "%s", setlocale(LC_ALL, NULL)); \
    into.umask = umask(0);                                                    \
    umask(into.umask);                                                        \
    if (!getcwd(into.directory, sizeof into.directory)) exit(8);              \
  } while (0)

static void print_changes(void) {
  char text[1024] = "";
  for (int s = 1; s < SIGRTMIN; ++s) {
    /* The library itself handles what has no handler: that must be no handler of others. */
    if (before.actions[s].sa_handler != SIG_DFL &&
        after.actions[s].sa_handler != before.actions[s].sa_handler)
      snprintf(text + strlen(text), sizeof text - strlen(text), " signal-%d", s);
  }
  for (int s = 1; s < SIGNALS; ++s) {
    if (sigismember(&before.mask, s) != sigismember(&after.mask, s)) strcat(text, " mask");
  }
  if (strcmp(before.environment, after.environment)) strcat(text, " environment");
  if (before.rounding != after.rounding) strcat(text, " rounding");
  if (strcmp(before.locale, after.locale)) strcat(text, " locale");
  if (before.umask != after.umask) strcat(text, " umask");
  if (strcmp(before.directory, after.directory)) strcat(text, " directory");
  printf("%s\n", text[0] ? text : "unchanged");
}

static void print_objects(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    const char* path = strchr(line, '/');
    if (path && strstr(path, ".so") && strstr(line, " 00000000 ")) printf("mapped %s", path);
  }
  fclose(maps);
}

static void handler_of_program(int signal) { (void)signal; }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "maps";
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  signal(SIGUSR1, handler_of_program);
  if (strcmp(what, "state") == 0) signal(SIGSEGV, handler_of_program);
  LOOK(before);
  if (gex_Client_Init(&client, &endpoint, &team, "foreign", &argc, &argv, 0) != GASNET_OK) return 1;
  if (gex_Segment_Attach(&segment, team, 65536) != GASNET_OK) return 2;
  LOOK(after);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  const int is_culprit = gex_TM_QueryRank(team) == gex_TM_QuerySize(team) - 1;
  if (strcmp(what, "maps") == 0) print_objects();
  if (strcmp(what, "state") == 0) print_changes();
  if (is_culprit) {
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "segv") == 0) *(volatile int*)8 = 1;
    if (strcmp(what, "term") == 0) raise(SIGTERM);
    if (strcmp(what, "exit") == 0) exit(3);
  }
  fflush(stdout);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_exit(0);
}
