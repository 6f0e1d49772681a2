// Signals of ranks: handlers, masks, alarms in virtual time, crashes that a program handles itself; and an
// exception that leaves std::call_once. Each rank checks what it sees, and may then end as it is told.
#include <gasnet_tools.h>
#include <gasnetex.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>

namespace {

gex_TM_t team;
int rank;
volatile int handled = 0, alarms = 0;
sigjmp_buf place;
volatile int* volatile nobodys = reinterpret_cast<volatile int*>(8);

void barrier() { gex_Event_Wait(gex_Coll_BarrierNB(team, 0)); }

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: not so: %s\n", rank, what);
  std::exit(3);
}

void on_signal(int) { handled = handled + 1 + rank; }
void on_alarm(int) { alarms = alarms + 1; }
void on_crash(int, siginfo_t* info, void*) {
  require(info->si_addr == reinterpret_cast<void*>(8), "the handler knows the address");
  siglongjmp(place, 1);
}

void check_own_handlers() {
  signal(SIGUSR1, on_signal);
  barrier();
  raise(SIGUSR1);
  require(handled == 1 + rank, "a handler sees the variables of its rank");
  sigset_t mask, before;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &mask, &before);
  kill(getpid(), SIGUSR1);
  require(handled == 1 + rank, "a blocked signal waits");
  sigprocmask(SIG_SETMASK, &before, nullptr);
  require(handled == 2 * (1 + rank), "until it is not blocked any more");
  barrier();
  if (rank == 0) kill(getpid() + 1, SIGUSR1);
  while (rank == 1 && handled == 2 * (1 + rank)) gasnet_AMPoll();
  barrier();
  require(handled == (rank == 1 ? 6 : 2 * (1 + rank)), "a signal of rank 0 reaches rank 1");
}

void check_crashes() {
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  for (int times = 0; times < 3; ++times) {
    if (sigsetjmp(place, 1) != 0) continue;
    barrier();  // others crash meanwhile
    *nobodys = 1;
    require(false, "address 8 is nobody's");
  }
}

void check_alarms() {
  signal(SIGALRM, on_alarm);
  alarm(2);
  require(sleep(10) == 8 && alarms == 1, "an alarm ends a sleep");
  const itimerval often = {{0, 1000}, {0, 1000}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  while (alarms < 5) pause();
  timespec time = {1, 0}, left;
  require(nanosleep(&time, &left) == -1 && errno == EINTR && left.tv_nsec > 990'000'000,
          "the rest of a sleep is told");
  setitimer(ITIMER_REAL, &never, nullptr);
  const int before = alarms;
  usleep(10'000);
  require(alarms == before, "a timer ends when it is told to");
}

void check_once() {
  std::once_flag once;
  int tries = 0, caught = 0;
  for (int times = 0; times < 3; ++times) {
    try {
      std::call_once(once, [&] {
        if (++tries == 1) throw std::runtime_error("the first time");
      });
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  require(tries == 2 && caught == 1, "an exception leaves std::call_once, and the next one tries again");
}

int own_backtrace(int fd) { return write(fd, "by itself\n", 10) == 10 ? 0 : 1; }

}  // namespace

gasnett_backtrace_type_t gasnett_backtrace_user = {"OWN", own_backtrace, 1};

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Client_Init(&client, &endpoint, &team, "signals", &argc, &argv, 0);
  rank = static_cast<int>(gex_TM_QueryRank(team));
  check_own_handlers();
  check_crashes();
  check_alarms();
  check_once();
  if (rank == 0) gasnett_print_backtrace(STDOUT_FILENO);
  barrier();
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "dies" && rank == 1) raise(SIGTERM);
  if (how == "returns" && rank == 1) {
    signal(SIGSEGV, on_signal);
    *nobodys = 1;
  }
  if (how == "profiles") {
    const itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &often, nullptr);
  }
  if (how == "polls")
    while (rank == 1) gasnet_AMPoll();
  barrier();
  if (rank == 0) std::puts("all signals were right");
  return 0;
}
