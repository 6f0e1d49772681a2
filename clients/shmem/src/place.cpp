#include "place.hpp"

#include <aqueduct/sim.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "job.hpp"

extern char** environ;

namespace aqshmem {
namespace {

/// What addr2line says of an address, as FILE:LINE without folders and without the functions of shmem.h that
/// are inlined there; false if it knows nothing.
bool ask_addr2line(const char* program, std::uintptr_t address, char* line, std::size_t bytes) {
  char number[32];
  std::snprintf(number, sizeof number, "0x%zx", static_cast<std::size_t>(address));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const char* const arguments[] = {"addr2line", "-i", "-e", program, number, nullptr};
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, const_cast<char* const*>(arguments), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  char lines[2048];
  std::size_t length = 0;
  if (error == 0) {
    for (ssize_t got;
         length < sizeof lines - 1 && (got = ::read(ends[0], lines + length, sizeof lines - 1 - length)) > 0;)
      length += static_cast<std::size_t>(got);
    ::waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  lines[length] = '\0';
  char* rest = nullptr;
  for (char* each = ::strtok_r(lines, "\n", &rest); each; each = ::strtok_r(nullptr, "\n", &rest)) {
    each[std::strcspn(each, " ")] = '\0';  // without " (discriminator 2)"
    if (each[0] == '?' || std::strstr(each, ":?") || std::strstr(each, "/shmem/inline")) continue;
    const char* const slash = std::strrchr(each, '/');
    std::snprintf(line, bytes, "%s", slash ? slash + 1 : each);
    return true;
  }
  return false;
}

}  // namespace

void find_place(char* text, std::size_t bytes) {
  text[0] = '\0';
  void* frames[32];
  const int count = ::backtrace(frames, 32);
  Dl_info own{};
  if (!::dladdr(reinterpret_cast<const void*>(&find_place), &own)) return;
  // The first frame that is not the library's. Where the program contains the library, the first one of which
  // there is a line: the library is compiled without.
  for (int i = 1; i < count; ++i) {
    Dl_info info{};
    if (!::dladdr(frames[i], &info) || !info.dli_fname) continue;
    const bool is_ours = info.dli_fbase == own.dli_fbase;
    const bool contains_us = job.program_base == reinterpret_cast<std::uintptr_t>(own.dli_fbase);
    if (is_ours && !contains_us) continue;
    // A return address is behind its call.
    const auto address =
        reinterpret_cast<std::uintptr_t>(frames[i]) - reinterpret_cast<std::uintptr_t>(info.dli_fbase) - 1;
    // A name without a folder is what the program was called by: it may have been found on the path.
    const char* const program = std::strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe";
    char line[200];
    // A simulated rank must not begin processes.
    if (!aqueduct_sim_active() && ask_addr2line(program, address, line, sizeof line)) {
      std::snprintf(text, bytes, " (at %s)", line);
      return;
    }
    if (is_ours) continue;
    const char* const slash = std::strrchr(info.dli_fname, '/');
    std::snprintf(text, bytes, " (at %s+0x%zx)", slash ? slash + 1 : info.dli_fname,
                  static_cast<std::size_t>(address));
    return;
  }
}

}  // namespace aqshmem
