#include "job/join.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "base/standard_streams.hpp"
#include "base/variables.hpp"
#include "job/inspection/job_table.hpp"
#include "job/launched.hpp"
#include "job/launchers/detection.hpp"
#include "job/place/binding.hpp"
#include "job/place/leave.hpp"
#include "job/place/shared_memory.hpp"
#include "job/place/start_settings.hpp"
#include "job/place/variables.hpp"
#include "job/supervision/supervisor.hpp"

namespace aqueduct::job {
namespace {

std::int64_t required(const char* name, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> value = env::integer({name}, least, most);
  if (!value)
    fatal("join", "%s is set but %s is not; only `aqueduct run` should set them", place::kControlFd, name);
  return *value;
}

std::string required_text(const char* name) {
  const char* const value = std::getenv(name);
  if (!value)
    fatal("join", "%s is set but %s is not; only `aqueduct run` should set them", place::kControlFd, name);
  return value;
}

/// The supervisor must have read the same value as this rank: ranks with different layouts might never meet.
void compare_setting(const char* name, const std::string& mine, const std::string& supervisors, RankId rank) {
  if (mine == supervisors) return;
  fatal("start", "rank %u has %s %s and the job was started with %s; set it where the job is started", rank,
        name, mine.c_str(), supervisors.c_str());
}

/// Reads the address and the key of the rendezvous of several hosts.
void read_rendezvous(Membership& membership) {
  const std::optional<net::Address> address = net::Address::parse(required_text(place::kRendezvous));
  if (!address) fatal("join", "%s is malformed; only `aqueduct run` should set it", place::kRendezvous);
  membership.rendezvous = *address;
}

/// Fills in the hosts of a job whose agents have started the ranks.
void read_machines(Membership& membership, const char* text) {
  std::string why;
  const std::optional<Layout> machines = Layout::parse(text, membership.size, &why);
  if (!machines || membership.hosts_are_given)
    fatal("join", "%s=%s does not fit: %s; only `aqueduct run` should set it", place::kMachines, text,
          machines ? "AQUEDUCT_LAYOUT makes hosts of one machine" : why.c_str());
  membership.hosts = *machines;
  membership.hosts_are_machines = true;
  membership.machine_ranks = machines->local_size(machines->host_of(membership.rank));
}

/// A descriptor from the supervisor, checked to exist and to be of that kind.
int inherited(const char* name, mode_t kind) {
  const int fd = static_cast<int>(required(name, 0, INT_MAX));
  struct stat status = {};
  if (fstat(fd, &status) != 0 || (status.st_mode & S_IFMT) != kind) {
    fatal("join",
          "%s=%d is not what the supervisor opened; a program between `aqueduct run` and this one has closed "
          "it",
          name, fd);
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

/// Makes the kernel kill this process when the supervisor's end of the socket closes. A parent-death signal
/// covers only the supervisor's children, but this process may be the child of a shell or a tool.
///
/// The flag stays with the socket, so it also shows whether another program has been this rank before, as in
/// `sh -c "a; b"`; a second one cannot start from the shared memory that the first has left.
void die_with_supervisor(int control_fd) {
  const int flags = fcntl(control_fd, F_GETFL);
  if ((flags & O_ASYNC) != 0) {
    fatal("join",
          "another program has been this rank before; start each one with an `aqueduct run` of its own");
  }
  fcntl(control_fd, F_SETOWN, getpid());
  fcntl(control_fd, F_SETSIG, SIGKILL);
  fcntl(control_fd, F_SETFL, flags | O_ASYNC);
  pollfd supervisor = {control_fd, 0, 0};
  if (poll(&supervisor, 1, 0) > 0 && (supervisor.revents & POLLHUP) != 0) raise(SIGKILL);
}

std::optional<Membership> prepared_place() {
  if (std::getenv(place::kControlFd) == nullptr) return std::nullopt;
  Membership membership;
  membership.size = static_cast<RankId>(required(place::kSize, 1, kMaxRanks));
  membership.rank = static_cast<RankId>(required(place::kRank, 0, membership.size - 1));
  set_reporting_rank(static_cast<int>(membership.rank));
  membership.cores = static_cast<unsigned>(required(place::kCores, 1, INT_MAX));
  membership.memory_fd = inherited(place::kMemoryFd, S_IFREG);
  membership.key = load_key(membership.memory_fd);
  membership.control_fd = inherited(place::kControlFd, S_IFSOCK);
  remember_supervisor(membership.control_fd);
  if (const char* binding = std::getenv(place::kBinding)) {
    const std::optional<NarrowBinding> parsed = NarrowBinding::parse(binding);
    if (!parsed)
      fatal("join", "%s=%s is malformed; only `aqueduct run` should set it", place::kBinding, binding);
    membership.binding = *parsed;
  }
  membership.reports_failures = reports_failures_from_environment();
  read_layout(membership);
  compare_setting("AQUEDUCT_LAYOUT", layout_setting(membership), required_text(place::kLayout),
                  membership.rank);
  compare_setting("GASNET_SUPERNODE_MAXSIZE", neighbours_setting(membership),
                  required_text(place::kNeighbours), membership.rank);
  membership.machine_ranks = membership.size;
  if (const char* const machines = std::getenv(place::kMachines)) read_machines(membership, machines);
  if (membership.hosts.hosts() > 1) read_rendezvous(membership);
  for (const char* name : place::kAll) unsetenv(name);
  return membership;
}

/// Returns in the ranks. The process that was started becomes their supervisor and ends with the job.
void start_own_ranks(RankId count) {
  Launch launch;
  launch.ranks = count;
  launch.bind = bind_from_environment();
  launch.tag = tag_from_environment();
  std::fflush(nullptr);  // otherwise every rank would write the buffered text
  const Supervised supervised = supervise(launch);
  if (!supervised.in_rank) _exit(supervised.exit_code);
}

Membership alone() {
  env::warn_of_unknown_variables();
  Membership membership;
  membership.reports_failures = reports_failures_from_environment();
  membership.memory_fd = create_shared_memory();
  if (membership.memory_fd < 0) fatal("join", "%s", why_not_created(errno).c_str());
  membership.key = net::JobKey::random();
  JobFacts facts;
  facts.job = getpid();
  facts.program = own_command_line();
  describe_job(membership.memory_fd, facts);
  membership.cores = count_cpus(usable_cores());
  remember_supervisor(-1);
  read_layout(membership);
  return membership;
}

Membership find_place() {
  keep_standard_descriptors();
  std::optional<Membership> membership = prepared_place();
  if (!membership) membership = launched_place();
  if (!membership) {
    const RankId count = ranks_from_environment().value_or(1);
    if (count > 1) {
      start_own_ranks(count);
      membership = prepared_place();
    } else {
      membership = alone();
    }
  }
  if (const auto cores = env::integer({"AQUEDUCT_HOST_CORES"}, 1, INT_MAX))
    membership->cores = static_cast<unsigned>(*cores);
  launchers::forget();
  take_secret_variable(place::kKey);  // a key from the user, which this job does not need
  hide_secrets_from_children();
  set_reporting_rank(static_cast<int>(membership->rank));
  if (membership->control_fd >= 0) {
    die_with_supervisor(membership->control_fd);
    struct stat output = {};
    if (fstat(STDOUT_FILENO, &output) == 0 && S_ISFIFO(output.st_mode))
      std::setvbuf(stdout, nullptr, _IOLBF, 0);
  }
  return *membership;
}

}  // namespace

const Membership& join() {
  static const Membership membership = find_place();
  return membership;
}

}  // namespace aqueduct::job
