#include "gasnet_tools/backtrace.hpp"

#include <execinfo.h>
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "aqueduct/tools/debugging.h"
#include "aqueduct/tools/environment.h"
#include "aqueduct/tools/system.h"
#include "base/env.hpp"
#include "base/fatal.hpp"
#include "gasnet_tools/backtrace_tool.hpp"
#include "gasnet_tools/failure.hpp"
#include "gasnet_tools/rank_list.hpp"
#include "gasnet_tools/signals.hpp"

// Null unless the client defines it.
extern "C" __attribute__((weak)) gasnett_backtrace_type_t gasnett_backtrace_user;

namespace aqueduct::gasnet_tools {
namespace {

constexpr int kFrames = 128;
constexpr std::size_t kTypesBytes = 256;

/// Read before a backtrace is needed, because then it may be too late to read the environment.
struct Settings {
  bool enabled = false;
  bool all_threads = true;
  char types[kTypesBytes] = "";  ///< comma-separated
};
Settings settings;
std::atomic<bool> settled{false};

struct Pid {
  char text[16];
  Pid() { std::snprintf(text, sizeof text, "%d", static_cast<int>(getpid())); }
};

int by_gdb(int fd) {
  const Pid pid;
  const char* frames = settings.all_threads ? "thread apply all bt" : "bt";
  const char* const arguments[] = {"gdb", "-nx",  "-batch", "-ex",    "set width 0",
                                   "-ex", frames, "-p",     pid.text, nullptr};
  return write_backtrace_by(arguments, "#0 ", fd) ? 0 : 1;
}

int by_lldb(int fd) {
  const Pid pid;
  const char* frames = settings.all_threads ? "bt all" : "bt";
  const char* const arguments[] = {"lldb", "--no-lldbinit", "--batch", "-p", pid.text, "-o", frames, nullptr};
  return write_backtrace_by(arguments, "frame #0", fd) ? 0 : 1;
}

int by_pstack(int fd) {
  const Pid pid;
  const char* const arguments[] = {"pstack", pid.text, nullptr};
  return write_backtrace_by(arguments, "#0", fd) ? 0 : 1;
}

int by_execinfo(int fd) {
  void* frames[kFrames];
  const int count = ::backtrace(frames, kFrames);
  if (count <= 0) return 1;
  ::backtrace_symbols_fd(frames, count, fd);
  return 0;
}

/// The last one always works.
constexpr gasnett_backtrace_type_t kTypes[] = {
    {"GDB", by_gdb, 1}, {"LLDB", by_lldb, 1}, {"PSTACK", by_pstack, 1}, {"EXECINFO", by_execinfo, 1}};

const gasnett_backtrace_type_t* user_type() {
  const gasnett_backtrace_type_t* type = &gasnett_backtrace_user;
  return type != nullptr && type->name != nullptr && type->fnp != nullptr ? type : nullptr;
}

const gasnett_backtrace_type_t* find_type(const char* name, std::size_t length) {
  const auto matches = [&](const gasnett_backtrace_type_t& type) {
    return std::strlen(type.name) == length && strncasecmp(type.name, name, length) == 0;
  };
  if (const gasnett_backtrace_type_t* user = user_type(); user != nullptr && matches(*user)) return user;
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes), matches);
  return known != std::end(kTypes) ? known : nullptr;
}

/// Asks /proc without allocating, since this may be a signal handler.
bool has_several_threads() {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  const char* count = std::strstr(text, "\nThreads:");
  return count != nullptr && std::atoi(count + std::strlen("\nThreads:")) > 1;
}

void settle() {
  char every_type[kTypesBytes] = "";
  const auto append = [&](const char* name) {
    if (*every_type != '\0') std::strncat(every_type, ",", sizeof every_type - std::strlen(every_type) - 1);
    std::strncat(every_type, name, sizeof every_type - std::strlen(every_type) - 1);
  };
  if (const gasnett_backtrace_type_t* user = user_type()) append(user->name);
  for (const gasnett_backtrace_type_t& type : kTypes) append(type.name);

  settings.enabled = gasnett_getenv_yesno_withdefault("GASNET_BACKTRACE", 0) != 0;
  settings.all_threads = gasnett_getenv_yesno_withdefault("GASNET_BACKTRACE_MT", 1) != 0;
  const char* types = gasnett_getenv_withdefault("GASNET_BACKTRACE_TYPE", every_type);
  std::snprintf(settings.types, sizeof settings.types, "%s", types);
  rank_is_listed("GASNET_BACKTRACE_NODES", 0);  // reports errors now and not in a crash
  if (settings.enabled) {
    // The first use of execinfo loads a library, which is better done now than in a crash.
    void* frame = nullptr;
    ::backtrace(&frame, 1);
  }
  settled.store(true, std::memory_order_release);
}

void settle_once() {
  static std::once_flag once;
  if (!settled.load(std::memory_order_acquire)) std::call_once(once, settle);
}

void announce(int fd, const gasnett_backtrace_type_t& type) {
  char line[128];
  std::snprintf(line, sizeof line, "*** Backtrace%s of pid %d, by %s:\n", process_tag().text,
                static_cast<int>(getpid()), type.name);
  write_text(fd, line);
}

int print_if_enabled(int fd) { return backtraces_enabled() ? gasnett_print_backtrace(fd) : 1; }

}  // namespace

bool backtraces_enabled() {
  settle_once();
  const int rank = reporting_rank();
  return settings.enabled &&
         rank_is_listed("GASNET_BACKTRACE_NODES", rank >= 0 ? static_cast<unsigned>(rank) : 0);
}

}  // namespace aqueduct::gasnet_tools

using namespace aqueduct;
using namespace aqueduct::gasnet_tools;

extern "C" {

int (*gasnett_print_backtrace_ifenabled)(int fd) = print_if_enabled;

void gasnett_backtrace_init(const char*) {
  // The program's name is not needed: /proc has its file.
  settle();
  handle_debugging_signals();
}

int gasnett_print_backtrace(int fd) {
  settle_once();
  const bool several_threads = has_several_threads();
  const char* rest = settings.types;
  while (*rest != '\0') {
    const std::size_t length = std::strcspn(rest, ",");
    const gasnett_backtrace_type_t* type = find_type(rest, length);
    if (type != nullptr && (type->threadsupport || !several_threads)) {
      announce(fd, *type);
      if (type->fnp(fd) == 0) return 0;
    }
    rest += length;
    if (*rest == ',') ++rest;
  }
  return 1;
}

}  // extern "C"
