#include "gasnet_tools/backtrace_tool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "gasnet_tools/failure.hpp"

namespace aqueduct::gasnet_tools {
namespace {

constexpr int kTimeoutMs = 30'000;
constexpr int kLookMs = 10;

bool is_installed(const char* program) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  while (*path != '\0') {
    const std::size_t length = std::strcspn(path, ":");
    char candidate[1024];
    std::snprintf(candidate, sizeof candidate, "%.*s/%s", static_cast<int>(length), path, program);
    if (access(candidate, X_OK) == 0) return true;
    path += length;
    if (*path == ':') ++path;
  }
  return false;
}

[[noreturn]] void become(const char* const* arguments, int output) {
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // The handlers of the dying process are not inherited, but what it ignores or blocks is.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(arguments[0], const_cast<char* const*>(arguments));
  _exit(127);
}

void wait_or_kill(pid_t child) {
  const timespec moment = {0, 1'000'000L * kLookMs};
  for (int waited_ms = 0; waited_ms < kTimeoutMs; waited_ms += kLookMs) {
    // The wait is also over if other code has reaped the child.
    if (waitpid(child, nullptr, WNOHANG) != 0) return;
    nanosleep(&moment, nullptr);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

bool copy_if_it_holds(int output, const char* sign, int fd) {
  struct stat facts;
  if (fstat(output, &facts) != 0 || facts.st_size == 0) return false;
  const auto length = static_cast<std::size_t>(facts.st_size);
  void* text = mmap(nullptr, length, PROT_READ, MAP_PRIVATE, output, 0);
  if (text == MAP_FAILED) return false;
  const bool holds = memmem(text, length, sign, std::strlen(sign)) != nullptr;
  if (holds) write_text(fd, static_cast<const char*>(text), length);
  munmap(text, length);
  return holds;
}

}  // namespace

bool write_backtrace_by(const char* const* arguments, const char* sign, int fd) {
  if (!is_installed(arguments[0])) return false;
  const int output = memfd_create("backtrace", MFD_CLOEXEC);
  if (output < 0) return false;
  // If only a parent may attach, allows the child to.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const pid_t child = fork();
  if (child == 0) become(arguments, output);
  if (child > 0) wait_or_kill(child);
  prctl(PR_SET_PTRACER, 0, 0, 0, 0);
  const bool written = child > 0 && copy_if_it_holds(output, sign, fd);
  close(output);
  return written;
}

}  // namespace aqueduct::gasnet_tools
