// A program of which every rank is to have its own: variables, constructors, thread-local variables,
// exceptions, streams, environment, folder, options, random numbers, time, handlers for the end. Each rank
// checks what it sees.
#include <gasnet_tools.h>
#include <gasnetex.h>
#include <getopt.h>
#include <limits.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

gex_TM_t team;
int rank = -1;

void barrier() { gex_Event_Wait(gex_Coll_BarrierNB(team, 0)); }

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: not so: %s\n", rank, what);
  std::exit(3);
}

int plain = 7;
int zero;
struct Made {
  std::vector<int> values{1, 2, 3};
  ~Made() {
    if (rank == 0) std::cout << "rank 0: destroyed with " << values.size() << " values" << std::endl;
  }
} made;
thread_local int of_thread = 11;
thread_local std::vector<int> list_of_thread;

struct Odd : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[gnu::noinline]] void fail(int which) {
  if (which % 2 == 1) throw Odd("odd " + std::to_string(which));
  throw which;
}

void check_variables() {
  plain += rank;
  zero = rank;
  made.values.push_back(rank);
  of_thread += rank;
  list_of_thread.assign(static_cast<std::size_t>(rank), rank);
  barrier();
  require(plain == 7 + rank && zero == rank, "variables are the rank's own");
  require(made.values.size() == 4 && made.values.back() == rank, "objects are the rank's own");
  require(of_thread == 11 + rank && list_of_thread.size() == static_cast<std::size_t>(rank),
          "thread-local variables are the rank's own");
  errno = rank;
  barrier();
  require(errno == rank, "errno is the rank's own");
}

void check_exceptions() {
  try {
    fail(rank);
  } catch (const std::exception& error) {
    barrier();  // others throw meanwhile
    require(rank % 2 == 1 && std::string(error.what()) == "odd " + std::to_string(rank),
            "odd ranks throw Odd");
    return;
  } catch (int number) {
    barrier();
    require(number == rank, "even ranks throw their number");
  }
}

void check_environment() {
  const std::string mine = std::to_string(rank);
  setenv("OWN", mine.c_str(), 1);
  static char also[32];
  std::snprintf(also, sizeof also, "ALSO=%d", rank);
  putenv(also);
  barrier();
  require(getenv("OWN") == mine && getenv("ALSO") == mine, "variables of the environment are the rank's own");
  unsetenv("OWN");
  barrier();
  require(!getenv("OWN") && getenv("PATH"), "one is gone, and others are not");
  char before[PATH_MAX], after[PATH_MAX];
  require(getcwd(before, sizeof before) != nullptr, "there is a working folder");
  if (rank % 2 == 1) require(chdir("/") == 0, "odd ranks change their folder");
  barrier();
  require(getcwd(after, sizeof after) && std::string(after) == (rank % 2 == 1 ? "/" : before),
          "the working folder is the rank's own");
}

void check_options(int argc, char** argv) {
  std::string seen;
  for (int letter; (letter = getopt(argc, argv, "ab:")) != -1;) {
    seen += static_cast<char>(letter);
    if (letter == 'b') seen += optarg;
    barrier();  // others read theirs meanwhile
  }
  require(seen == "abvalue" && optind == 4, "options are read by each rank");
}

void check_chance() {
  srand(static_cast<unsigned>(rank));
  const int first = rand();
  barrier();
  const int second = rand();
  srand(static_cast<unsigned>(rank));
  require(rand() == first && rand() == second, "rand() goes on from the rank's own seed");
  require(getpid() != getppid(), "process numbers differ");
}

void check_time() {
  using std::chrono::steady_clock;
  const auto start = steady_clock::now();
  const gasnett_tick_t ticks = gasnett_ticks_now();
  std::this_thread::sleep_for(std::chrono::seconds(36));
  const double seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
  require(seconds >= 36 && seconds < 37, "the machine's time has passed");
  const auto ns = static_cast<double>(gasnett_ticks_to_ns(gasnett_ticks_now() - ticks));
  require(ns >= 36e9 && ns < 37e9, "ticks have seen it");
  timeval one, other;
  gettimeofday(&one, nullptr);
  do {
    gettimeofday(&other, nullptr);
  } while ((other.tv_sec - one.tv_sec) * 1000000 + other.tv_usec - one.tv_usec < 50);
}

void say_at_end() { std::printf("rank %d: the end\n", rank); }

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Client_Init(&client, &endpoint, &team, "own", &argc, &argv, 0);
  rank = static_cast<int>(gex_TM_QueryRank(team));
  std::atexit(say_at_end);
  check_variables();
  check_exceptions();
  check_environment();
  check_options(argc, argv);
  check_chance();
  check_time();
  std::random_device device;
  std::cout << "rank " << std::hex << rank + 16 << std::dec << " drew " << device() << std::flush;
  write(1, " and wrote\n", 11);
  barrier();
  require((std::cout.flags() & std::ios::hex) == 0, "flags of streams are the rank's own");
  std::fputs("unfinished", stdout);
  return 0;
}
