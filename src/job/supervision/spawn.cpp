#include "job/supervision/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "job/place/shared_memory.hpp"
#include "job/place/variables.hpp"
#include "job/supervision/limit_advice.hpp"
#include "job/supervision/same_addresses.hpp"

namespace aqueduct::job {
namespace {

constexpr int kFirstInheritedFd = 64;  // beyond the descriptors that shell scripts use by number

struct Pair {
  net::Descriptor supervisor;
  net::Descriptor rank;
};

bool open_pipe(Pair& pair) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  pair.supervisor = net::Descriptor(ends[0]);
  pair.rank = net::Descriptor(ends[1]);
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;  // the rank's end blocks, as programs expect
}

bool open_socket(Pair& pair) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  pair.supervisor = net::Descriptor(ends[0]);
  pair.rank = net::Descriptor(ends[1]);
  return true;
}

void set_number(const char* name, long value) { setenv(name, std::to_string(value).c_str(), 1); }

void set_or_remove(const char* name, const std::string& value) {
  value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
}

/// Duplicates `fd` for the rank's program to inherit.
int keep_open(int fd) {
  const int copy = fcntl(fd, F_DUPFD, kFirstInheritedFd);
  return copy >= 0 ? copy : fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
}

/// The step at which a new rank has failed.
enum class StartStep : int { kNone, kBecomeRank, kRunCommand };
struct StartFailure {
  StartStep step = StartStep::kNone;
  int reason = 0;
};

struct RankEnds {
  Pair output, errors, control;
  bool open() { return open_pipe(output) && open_pipe(errors) && open_socket(control); }
};

/// Runs in the new process: gives it everything of a rank but the program. False with errno if that fails.
bool become_rank(const HostShare& share, std::size_t index, const Launch& launch, const BindingPlan& binding,
                 const std::vector<PlaceVariable>& variables, RankEnds& ends, int memory_fd,
                 pid_t supervisor) {
  const RankId rank = share.ranks[index];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);  // the supervisor has died already
  dup2(ends.output.rank.get(), STDOUT_FILENO);
  dup2(ends.errors.rank.get(), STDERR_FILENO);
  if (rank != 0) {
    const net::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(nothing.get(), STDIN_FILENO);
  } else if (share.input_fd >= 0) {
    dup2(share.input_fd, STDIN_FILENO);
  }
  bind_self(binding.of_rank[index]);
  set_number(place::kRank, rank);
  set_number(place::kSize, launch.ranks);
  set_number(place::kCores, binding.cpus_shared);
  const NarrowBinding narrow(binding.of_rank[index], binding.of_threaded_rank[index]);
  set_or_remove(place::kBinding, narrow ? narrow.text() : "");
  for (const PlaceVariable& variable : variables) set_or_remove(variable.name, variable.value);
  const int kept_memory = keep_open(memory_fd);
  const int kept_control = keep_open(ends.control.rank.get());
  if (kept_memory < 0 || kept_control < 0) return false;
  set_number(place::kMemoryFd, kept_memory);
  set_number(place::kControlFd, kept_control);
  if (!launch.conduit.empty()) setenv(place::kConduit, launch.conduit.c_str(), 1);
  return true;
}

/// Sends the supervisor the errno of the step that has just failed.
[[noreturn]] void say_why_not(int failure_fd, StartStep step) {
  const StartFailure failure = {step, errno};
  const ssize_t written = write(failure_fd, &failure, sizeof failure);
  _exit(written == sizeof failure ? 127 : 126);
}

[[noreturn]] void run_command(const std::vector<std::string>& command, int failure_fd) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  say_why_not(failure_fd, StartStep::kRunCommand);
}

/// Waits until every rank runs its command, or goes on as a copy of this process. Returns the failure of one
/// of them, if any.
StartFailure wait_for_start(Pair& start) {
  start.rank.close();
  StartFailure failure;
  fcntl(start.supervisor.get(), F_SETFL, 0);
  ssize_t length;
  do {
    length = read(start.supervisor.get(), &failure, sizeof failure);
  } while (length < 0 && errno == EINTR);
  return length == sizeof failure ? failure : StartFailure{};
}

}  // namespace

HostShare whole_job(RankId size) {
  HostShare share;
  share.ranks.resize(size);
  std::iota(share.ranks.begin(), share.ranks.end(), RankId{0});
  return share;
}

Spawned spawn_ranks(const Launch& launch, const HostShare& share, const BindingPlan& binding,
                    const net::JobKey& key, const std::vector<PlaceVariable>& variables,
                    const SupervisorSignals& signals, const DescriptorLimit& limit) {
  Spawned spawned;
  const auto fail = [&](std::string what, int code) {
    spawned.error = "cannot start " + std::move(what) + ": " + explain_with_advice(errno);
    spawned.error_code = code;
    return std::move(spawned);
  };
  spawned.memory = net::Descriptor(create_shared_memory());
  if (!spawned.memory) {
    spawned.error = "cannot start the job: " + why_not_created(errno);
    spawned.error_code = 1;
    return spawned;
  }
  store_key(spawned.memory.get(), key);
  Pair start;
  if (!open_pipe(start)) return fail("the job", 1);

  // The ranks inherit it, and it takes effect when they run their program. Forks of this process need none.
  const SameAddresses same_addresses(launch.same_addresses && !launch.command.empty());
  spawned.have_different_addresses = same_addresses.is_refused();
  const pid_t supervisor = getpid();
  spawned.ranks.reserve(share.ranks.size());
  for (std::size_t index = 0; index < share.ranks.size(); ++index) {
    RankEnds ends;
    const pid_t pid = ends.open() ? fork() : -1;
    if (pid < 0) return fail("rank " + std::to_string(share.ranks[index]), 1);
    if (pid == 0) {
      if (!become_rank(share, index, launch, binding, variables, ends, spawned.memory.get(), supervisor))
        say_why_not(start.rank.get(), StartStep::kBecomeRank);
      limit.restore();
      signals.restore();
      if (!launch.command.empty()) run_command(launch.command, start.rank.get());
      spawned.ranks.clear();
      spawned.memory.close();
      spawned.in_rank = true;
      return spawned;
    }
    RankProcess process;
    process.rank = share.ranks[index];
    process.pid = pid;
    process.process = net::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    process.control = std::move(ends.control.supervisor);
    process.output = std::move(ends.output.supervisor);
    process.errors = std::move(ends.errors.supervisor);
    spawned.ranks.push_back(std::move(process));
  }
  if (const StartFailure failure = wait_for_start(start); failure.step != StartStep::kNone) {
    errno = failure.reason;
    if (failure.step == StartStep::kBecomeRank) return fail("a rank", 1);
    return fail("'" + launch.command[0] + "'", errno == ENOENT || errno == ENOTDIR ? 127 : 126);
  }
  return spawned;
}

}  // namespace aqueduct::job
