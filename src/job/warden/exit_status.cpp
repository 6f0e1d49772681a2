#include "job/warden/exit_status.hpp"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace aqueduct::job::warden {
namespace {

// The first version of what PIDFD_GET_INFO fills in; headers of older systems lack it.
struct ProcessInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::uint32_t identities[11];
  std::int32_t exit_code;
};
static_assert(sizeof(ProcessInfo) == 64);
constexpr std::uint64_t kExitWanted = 1 << 3;
constexpr unsigned long kGetInfo = _IOWR(0xff, 11, ProcessInfo);

std::optional<int> status_from_kernel(int process_fd) {
  ProcessInfo info = {};
  info.mask = kExitWanted;
  if (::ioctl(process_fd, kGetInfo, &info) != 0 || (info.mask & kExitWanted) == 0) return std::nullopt;
  return info.exit_code;
}

/// The last field of /proc/PID/stat, of a process that nobody has reaped. The command in parentheses may hold
/// anything, so search from the end.
std::optional<int> status_from_files(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t command_end = line.rfind(") ");
  if (command_end == line.npos || line.compare(command_end + 2, 1, "Z") != 0) return std::nullopt;
  return std::atoi(line.c_str() + line.rfind(' ') + 1);
}

}  // namespace

net::Descriptor open_process(pid_t pid) {
  return net::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

void signal_process(int process_fd, int signal) {
  ::syscall(SYS_pidfd_send_signal, process_fd, signal, nullptr, 0);
}

std::optional<int> exit_status(int process_fd, pid_t pid) {
  // The parent may reap it between the two attempts; then the kernel knows.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const std::optional<int> status = status_from_kernel(process_fd)) return status;
    if (const std::optional<int> status = status_from_files(pid)) return status;
  }
  return std::nullopt;
}

}  // namespace aqueduct::job::warden
