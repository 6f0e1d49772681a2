/* Facts about the host and this process, limits, streams and signals. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/check.h"
#include "gasnet_tools.h"

static volatile sig_atomic_t handled;
static void note(int signal) { handled = signal; }

static void test_facts(void) {
  char name[256] = "";
  CHECK(gethostname(name, sizeof name - 1) == 0);
  CHECK(strlen(gasnett_gethostname()) == strlen(name));
  CHECK(strpbrk(gasnett_gethostname(), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL);
  CHECK(gasnett_exe_name()[0] == '/' && access(gasnett_exe_name(), X_OK) == 0);
  CHECK(gasnett_cpu_count() == sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(gasnett_getPhysMemSz(1) == (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
  gasnett_sched_yield();
}

static void test_limits(void) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_CORE, &limit) == 0);
  limit.rlim_cur = 0;
  CHECK(setrlimit(RLIMIT_CORE, &limit) == 0);
  gasnett_setenv("GASNET_MAXIMIZE_RLIMIT_CORE", "0");
  CHECK(gasnett_maximize_rlimit(RLIMIT_CORE, "RLIMIT_CORE") != 0);
  CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0);
  gasnett_unsetenv("GASNET_MAXIMIZE_RLIMIT_CORE");
  CHECK(gasnett_maximize_rlimit(RLIMIT_CORE, "RLIMIT_CORE") != 0);
  CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == limit.rlim_max);
  CHECK(gasnett_maximize_rlimits() != 0);
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur == limit.rlim_max);
}

static void test_signals(void) {
  CHECK(gasnett_reghandler(SIGUSR2, &note) == SIG_DFL);
  CHECK(raise(SIGUSR2) == 0 && handled == SIGUSR2);
  CHECK(gasnett_reghandler(SIGUSR2, SIG_IGN) == &note);
  handled = 0;
  CHECK(raise(SIGUSR2) == 0 && handled == 0);
  gasnett_sighandlerfn_t before = gasnett_reghandler(SIGUSR2, SIG_DFL);
  CHECK(before == SIG_IGN);
  CHECK(strcmp(gasnett_signame_fromval(SIGSEGV), "SIGSEGV") == 0);
  CHECK(strcmp(gasnett_signame_fromval(SIGUSR1), "SIGUSR1") == 0);
  CHECK(strcmp(gasnett_signame_fromval(9999), "unknown signal") == 0);
}

/* Runs `action` in a child whose stdout is a pipe; its exit code, and what it wrote. */
static int run_child(void (*action)(void), char* output, size_t room) {
  int ends[2], status = 0;
  size_t length = 0;
  CHECK(pipe(ends) == 0);
  fflush(stdout);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    action();
    _exit(99);
  }
  close(ends[1]);
  for (ssize_t got = 1; got > 0; length += (size_t)got) {
    got = read(ends[0], output + length, room - 1 - length);
    if (got < 0) got = 0;
  }
  output[length] = '\0';
  close(ends[0]);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void flush_then_kill(void) {
  printf("flushed");
  gasnett_flush_streams();
  printf("lost");
  gasnett_killmyprocess(42);
}

static void close_twice(void) {
  printf("flushed");
  gasnett_close_streams();
  gasnett_close_streams();
  printf("nowhere");
  fflush(stdout);
  exit(ferror(stdout) ? 1 : 0);
}

static void test_streams(void) {
  char output[64];
  CHECK(run_child(flush_then_kill, output, sizeof output) == 42);
  CHECK(strcmp(output, "flushed") == 0);
  CHECK(run_child(close_twice, output, sizeof output) == 0);
  CHECK(strcmp(output, "flushed") == 0);
}

/* Where this is run under a restricted set of processors, processor 0 may be out of reach; then the call must
 * say so. */
static void test_affinity(void) {
#if !GASNETT_SET_AFFINITY_SUPPORT
#error "binding is supported"
#endif
  const int processors = gasnett_cpu_count();
  CHECK((gasnett_set_affinity(0) == 0) == (gasnett_set_affinity(processors) == 0));
  CHECK((gasnett_set_affinity(-1) == 0) == (gasnett_set_affinity(processors - 1) == 0));
}

static void test_location(void) {
  char* location = gasnett_current_loc;
  CHECK(strstr(location, "test_location() at ") == location);
  CHECK(strstr(location, "system.c:") != NULL);
  free(location);
}

int main(void) {
  test_facts();
  test_limits();
  test_signals();
  test_streams();
  test_affinity();
  test_location();
  return 0;
}
