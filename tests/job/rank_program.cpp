// A rank for the tests of jobs: joins, does one thing, and leaves. Usage: test_job_rank WHAT [NUMBER...]
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/fatal.hpp"
#include "job/join.hpp"
#include "job/place/leave.hpp"

namespace {

using namespace aqueduct;

std::vector<std::string> arguments;
int number(std::size_t index) { return std::atoi(arguments.at(index).c_str()); }

[[noreturn]] void wait_for_the_end() {
  for (;;) pause();
}

/// A page that all ranks of the job have in common.
std::atomic<int>* shared_page(const job::Membership& me) {
  constexpr off_t kUnused = 1 << 20;  // job/place/shared_memory.hpp has nothing there
  if (ftruncate(me.memory_fd, kUnused + 4096) != 0) std::abort();
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, me.memory_fd, kUnused);
  if (page == MAP_FAILED) std::abort();
  return static_cast<std::atomic<int>*>(page);
}

/// Whether the process is gone, also if nobody has asked for its status yet.
bool has_ended(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return true;
  char text[256] = {};
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  const char* after_command = length > 0 ? std::strrchr(text, ')') : nullptr;
  return after_command == nullptr || after_command[2] == 'Z' || after_command[2] == 'X';
}

void print_place(const job::Membership& me) {
  const bool is_place_forgotten = std::getenv("AQUEDUCT_RANK") == nullptr;
  const char* conduit = std::getenv("AQUEDUCT_CONDUIT");
  std::printf("rank %u of %u cores %u supervised %d forgotten %d conduit %s\n", me.rank, me.size, me.cores,
              me.control_fd >= 0, is_place_forgotten, conduit != nullptr ? conduit : "-");
}

/// Returns when all ranks have come: from here on none is late because it started late.
void meet(const job::Membership& me) {
  std::atomic<int>* page = shared_page(me);
  page[1] += 1;
  while (page[1] < static_cast<int>(me.size)) usleep(1000);
}

/// Adds up to size*(size+1)/2 only if all ranks see the same memory.
void check_shared_memory(const job::Membership& me) {
  std::atomic<int>* page = shared_page(me);
  page[0] += static_cast<int>(me.rank) + 1;
  meet(me);
  std::printf("sum %d\n", page[0].load());
}

void print_lines(const job::Membership& me) {
  const std::string body(static_cast<std::size_t>(number(3)), static_cast<char>('a' + me.rank % 26));
  for (int line = 0; line < number(2); ++line) {
    // In pieces, so that only the supervisor can keep the line together.
    const std::size_t half = body.size() / 2;
    std::fprintf(stdout, "%u %d ", me.rank, line);
    std::fflush(stdout);
    std::fwrite(body.data(), 1, half, stdout);
    std::fflush(stdout);
    std::fprintf(stdout, "%s\n", body.c_str() + half);
  }
}

/// Where code of the program, of a library and static memory are.
void print_addresses() {
  static int in_static_memory = 0;
  std::printf("code %p library %p statics %p\n", reinterpret_cast<void*>(&print_addresses),
              reinterpret_cast<void*>(&std::puts), static_cast<void*>(&in_static_memory));
}

/// Runs the rest of the arguments where nobody may change a personality, as in many containers.
[[noreturn]] void run_without_personality() {
  const unsigned refused = SECCOMP_RET_ERRNO | EPERM;
  sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 3),
                         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0),
                         BPF_STMT(BPF_RET | BPF_K, refused),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {sizeof rules / sizeof *rules, rules};
  std::vector<char*> command;
  for (std::size_t i = 2; i < arguments.size(); ++i) command.push_back(arguments[i].data());
  command.push_back(nullptr);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(77);
  execv(command[0], command.data());
  _exit(126);
}

void list_descriptors() {
  std::string list;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error);
    if (error || target.find("/proc/") == 0) continue;  // the listing's own
    list.append(" ").append(target, 0, target.find('['));
  }
  std::printf("open:%s\n", list.c_str());
}

volatile std::sig_atomic_t was_signalled = 0;

/// Says so for every signal that arrives, and returns a moment after the first.
void report_signals(int signal) {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    static constexpr char kLine[] = "signalled\n";
    if (write(STDOUT_FILENO, kLine, sizeof kLine - 1) < 0) _exit(1);
    was_signalled = 1;
  };
  sigaction(signal, &action, nullptr);
  std::puts("ready");
  while (was_signalled == 0) usleep(1000);
  usleep(50'000);
}

/// Rank 0 crashes, or ends with a code if one is given; the others notice at once and leave with a code of
/// their own, which must not be the one reported.
void end_with_followers(const job::Membership& me) {
  std::atomic<int>* page = shared_page(me);
  if (me.rank == 0) {
    page[0] = getpid();
    while (page[1] < static_cast<int>(me.size) - 1) usleep(100);
    if (arguments.size() > 2) _exit(number(2));
    raise(SIGKILL);
  }
  while (page[0] == 0) usleep(100);
  page[1] += 1;
  while (!has_ended(page[0])) {
  }
  _exit(9);
}

int act(const job::Membership& me) {
  const std::string& what = arguments.at(1);
  const bool is_chosen = arguments.size() > 2 && static_cast<int>(me.rank) == number(2);
  if (what == "place") print_place(me);
  if (what == "memory") check_shared_memory(me);
  if (what == "lines") print_lines(me);
  if (what == "descriptors") list_descriptors();
  if (what == "addresses") print_addresses();
  if (what == "shell") return std::system(arguments.at(2).c_str()) == 0 ? 0 : 1;
  if (what == "report-signals") report_signals(number(2));
  if (what == "end-with-followers") end_with_followers(me);
  if (what == "partial-line") std::printf("no newline from %u", me.rank);
  if (what == "return") return is_chosen ? number(3) : (usleep(200'000), std::puts("finished"), 0);
  if (what == "wait") {
    std::puts("ready");
    wait_for_the_end();
  }
  if (what == "stubborn") {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
    std::puts("ready");
    wait_for_the_end();
  }
  if (what == "exit") {
    if (is_chosen) job::exit_job(number(3));
    wait_for_the_end();
  }
  if (what == "exit-then-fail") {
    meet(me);
    if (me.rank == 0) job::exit_job(0);
    usleep(50'000);
    return 6;
  }
  if (what == "exit-all") {
    meet(me);
    std::printf("last words of %u", me.rank);  // no newline: only a flush brings it out
    job::exit_job(number(2));
  }
  if (what == "exit-while-others-return") {
    meet(me);
    if (me.rank == 0) job::exit_job(0);
    usleep(50'000);
  }
  if (what == "exit-with-stdio-locked") {
    std::atomic<bool> is_locked{false};
    std::thread([&] {
      flockfile(stdout);
      is_locked = true;
      wait_for_the_end();
    }).detach();
    while (!is_locked) usleep(1000);
    job::exit_job(number(2));
  }
  if (what == "exit-with-open-file") {
    std::FILE* file = std::fopen(arguments.at(2).c_str(), "w");
    std::fputs("kept", file);
    job::exit_job(0);
  }
  if (what == "exit-from-thread") {
    std::thread([&] { job::exit_job(number(2)); }).detach();
    wait_for_the_end();
  }
  if (what == "fatal") {
    if (is_chosen) {
      current_call_site() = {"client.c", 42};
      fatal("gex_Test", "something is %s", "wrong");
    }
    wait_for_the_end();
  }
  if (what == "fatal-all") fatal("gex_Test", "all of us");
  if (what == "signal") {
    std::signal(number(3), SIG_DFL);  // sanitizers would catch it
    if (is_chosen) raise(number(3));
    wait_for_the_end();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  arguments.assign(argv, argv + argc);
  if (arguments.at(1) == "without-personality") run_without_personality();
  std::printf("%s", arguments.at(1) == "print-before-join" ? "once" : "");
  const int code = act(job::join());
  std::fflush(stdout);
  return code;
}
