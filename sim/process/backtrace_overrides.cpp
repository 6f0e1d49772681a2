// Backtraces that a program asks for (aqueduct/tools/debugging.h): its own way, or the functions it is in.
// The other ways, such as a debugger, would show the simulator.
#include <strings.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "aqueduct/tools/debugging.h"
#include "sim/process/call_stack.hpp"
#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"

namespace aqueduct::sim::process {
namespace {

void write_line(int fd, const std::string& line) {
  if (fd == STDOUT_FILENO || fd == STDERR_FILENO) {
    Process::current().streams().write(fd, line);
  } else {
    (void)!::write(fd, line.data(), line.size());
  }
}

/// Settings are read when they are needed.
void init_backtraces(const char*) {}

int print_backtrace(int fd) {
  const Process& process = Process::current();
  const auto* const user =
      reinterpret_cast<const gasnett_backtrace_type_t*>(process.image().find("gasnett_backtrace_user"));
  const bool has_own = user && user->name && user->fnp;
  const char* const asked = std::getenv("GASNET_BACKTRACE_TYPE");
  std::string_view rest = asked ? asked : has_own ? user->name : "";
  const std::string heading = "*** Backtrace of rank " + std::to_string(process.rank()) + ", thread " +
                              std::to_string(Thread::current()->number) + ", ";
  while (has_own && !rest.empty()) {
    const std::string word(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (::strcasecmp(word.c_str(), user->name) != 0) continue;
    write_line(fd, heading + "by " + user->name + ":\n");
    if (user->fnp(fd) == 0) return 0;
  }
  write_line(fd, heading + call_stack() + "\n");
  return 0;
}

int print_backtrace_if_enabled(int fd) {
  const char* const enabled = std::getenv("GASNET_BACKTRACE");
  const bool is_on = enabled && std::string_view("1yYtT").find(*enabled) != std::string_view::npos;
  return is_on ? print_backtrace(fd) : 1;
}
int (*print_if_enabled)(int) = print_backtrace_if_enabled;

}  // namespace

OverrideGroup backtrace_overrides() {
  static const Override table[] = {
      replaces("gasnett_backtrace_init", init_backtraces),
      replaces("gasnett_print_backtrace", print_backtrace),
      {"gasnett_print_backtrace_ifenabled", &print_if_enabled},
  };
  return table;
}

}  // namespace aqueduct::sim::process
