#include "job/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "job/place.hpp"
#include "job/shared_memory.hpp"

namespace aqueduct::job {
namespace {

constexpr int kFirstInheritedFd = 64;  // beyond the descriptors that shell scripts use by number

struct Pair {
  Descriptor supervisor;
  Descriptor rank;
};

bool open_pipe(Pair& pair) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  pair.supervisor = Descriptor(ends[0]);
  pair.rank = Descriptor(ends[1]);
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;  // the rank's end blocks, as programs expect
}

bool open_socket(Pair& pair) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  pair.supervisor = Descriptor(ends[0]);
  pair.rank = Descriptor(ends[1]);
  return true;
}

void set_number(const char* name, long value) { setenv(name, std::to_string(value).c_str(), 1); }

/// A copy of `fd` that the rank's program inherits.
int keep_open(int fd) {
  const int copy = fcntl(fd, F_DUPFD, kFirstInheritedFd);
  return copy >= 0 ? copy : fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
}

struct RankEnds {
  Pair output, errors, control;
  bool open() { return open_pipe(output) && open_pipe(errors) && open_socket(control); }
};

/// Runs in the new process: makes it the rank in all but its program.
void become_rank(RankId rank, const Launch& launch, const BindingPlan& binding, RankEnds& ends, int memory_fd,
                 pid_t supervisor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);  // it died before we could ask
  dup2(ends.output.rank.get(), STDOUT_FILENO);
  dup2(ends.errors.rank.get(), STDERR_FILENO);
  if (rank != 0) {
    const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(nothing.get(), STDIN_FILENO);
  }
  bind_self(binding.of_rank[rank]);
  set_number(place::kRank, rank);
  set_number(place::kSize, launch.ranks);
  set_number(place::kCores, binding.cpus_shared);
  set_number(place::kMemoryFd, keep_open(memory_fd));
  set_number(place::kControlFd, keep_open(ends.control.rank.get()));
  if (!launch.conduit.empty()) setenv(place::kConduit, launch.conduit.c_str(), 1);
}

[[noreturn]] void run_command(const std::vector<std::string>& command, int failure_fd) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  const ssize_t written = write(failure_fd, &reason, sizeof reason);
  _exit(written == sizeof reason ? 127 : 126);
}

/// Waits until every rank runs its command. Returns the errno of one that could not, or 0.
int wait_for_start(Pair& start) {
  start.rank.close();
  int reason = 0;
  fcntl(start.supervisor.get(), F_SETFL, 0);
  ssize_t length;
  do {
    length = read(start.supervisor.get(), &reason, sizeof reason);
  } while (length < 0 && errno == EINTR);
  return length == sizeof reason ? reason : 0;
}

}  // namespace

Spawned spawn_ranks(const Launch& launch, const BindingPlan& binding, const SupervisorSignals& signals,
                    const DescriptorLimit& limit) {
  Spawned spawned;
  const auto fail = [&](std::string what, int code) {
    spawned.error = "cannot start " + std::move(what) + ": " + strerror(errno);
    if (errno == EMFILE) spawned.error += " (a job needs about four for each rank: raise ulimit -Hn)";
    if (errno == EAGAIN) spawned.error += " (are there too many processes? See ulimit -u)";
    spawned.error_code = code;
    return std::move(spawned);
  };
  const Descriptor memory(create_shared_memory());
  Pair start;
  if (!memory || !open_pipe(start)) return fail("the job", 1);

  const pid_t supervisor = getpid();
  spawned.ranks.reserve(launch.ranks);
  for (RankId rank = 0; rank < launch.ranks; ++rank) {
    RankEnds ends;
    const pid_t pid = ends.open() ? fork() : -1;
    if (pid < 0) return fail("rank " + std::to_string(rank), 1);
    if (pid == 0) {
      become_rank(rank, launch, binding, ends, memory.get(), supervisor);
      limit.restore();
      signals.restore();
      if (!launch.command.empty()) run_command(launch.command, start.rank.get());
      spawned.ranks.clear();
      spawned.in_rank = true;
      return spawned;
    }
    RankProcess process;
    process.pid = pid;
    process.process = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    process.control = std::move(ends.control.supervisor);
    process.output = std::move(ends.output.supervisor);
    process.errors = std::move(ends.errors.supervisor);
    spawned.ranks.push_back(std::move(process));
  }
  if (const int reason = wait_for_start(start); reason != 0) {
    errno = reason;
    return fail("'" + launch.command[0] + "'", reason == ENOENT || reason == ENOTDIR ? 127 : 126);
  }
  return spawned;
}

}  // namespace aqueduct::job
