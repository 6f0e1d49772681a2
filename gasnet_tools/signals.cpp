#include "gasnet_tools/signals.hpp"

#include <strings.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "aqueduct/tools/debugging.h"
#include "base/env.hpp"
#include "base/fatal.hpp"
#include "base/stdio_flush.hpp"
#include "gasnet_tools/failure.hpp"

namespace aqueduct::gasnet_tools {
namespace {

struct NamedSignal {
  int number;
  const char* name;
};
constexpr NamedSignal kSignals[] = {
    {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"},   {SIGBUS, "SIGBUS"},   {SIGCHLD, "SIGCHLD"},
    {SIGCONT, "SIGCONT"}, {SIGFPE, "SIGFPE"},     {SIGHUP, "SIGHUP"},   {SIGILL, "SIGILL"},
    {SIGINT, "SIGINT"},   {SIGIO, "SIGIO"},       {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"},
    {SIGPROF, "SIGPROF"}, {SIGPWR, "SIGPWR"},     {SIGQUIT, "SIGQUIT"}, {SIGSEGV, "SIGSEGV"},
    {SIGSTOP, "SIGSTOP"}, {SIGSYS, "SIGSYS"},     {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"},
    {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},   {SIGTTOU, "SIGTTOU"}, {SIGURG, "SIGURG"},
    {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},   {SIGXCPU, "SIGXCPU"}, {SIGVTALRM, "SIGVTALRM"},
    {SIGXFSZ, "SIGXFSZ"}, {SIGWINCH, "SIGWINCH"},
};
constexpr int kFatalSignals[] = {SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
constexpr int kTerminationSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kQuit[] = {SIGQUIT};

gasnett_sighandlerfn_t install(int signal, gasnett_sighandlerfn_t handler, int flags) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (sigaction(signal, &action, &before) != 0) {
    fail("gasnett_reghandler", nullptr, "signal %d (%s) cannot be handled: %s", signal,
         gasnett_signame_fromval(signal), std::strerror(errno));
  }
  return before.sa_handler;
}

void write_backtrace_and_go_on(int) {
  const int error = errno;
  gasnett_print_backtrace(STDERR_FILENO);
  errno = error;
}

void freeze_and_go_on(int) {
  const int error = errno;
  gasnett_freezeForDebuggerNow(&gasnet_frozen, "gasnet_frozen");
  errno = error;
}

void (*prepare_core_file)() = nullptr;

void prepare_and_die(int signal, siginfo_t* info, void*) {
  prepare_core_file();
  std::signal(signal, SIG_DFL);
  // A fault of the processor happens again when this returns; a signal that somebody has sent does not.
  if (info->si_code <= 0) raise(signal);
}

void announce_and_die(int signal) {
  std::signal(signal, SIG_DFL);
  char line[128];
  std::snprintf(line, sizeof line, "*** Caught a fatal signal%s: %s(%d)\n", process_tag().text,
                gasnett_signame_fromval(signal), signal);
  write_text(STDERR_FILENO, line);
  gasnett_freezeForDebuggerErr();
  if (gasnett_print_backtrace_ifenabled != nullptr) gasnett_print_backtrace_ifenabled(STDERR_FILENO);
  if (prepare_core_file) prepare_core_file();
  // It stays pending until this handler returns, then ends the process.
  raise(signal);
}

// The earlier actions of the two signals.
constexpr int kBadAccesses[] = {SIGSEGV, SIGBUS};
struct sigaction before_explaining[std::size(kBadAccesses)];
void (*explain_access)(const void* address) = nullptr;

void explain_and_go_on(int signal, siginfo_t* info, void*) {
  explain_access(info->si_addr);
  // The access happens again when this returns, and then has the earlier action.
  for (std::size_t i = 0; i < std::size(kBadAccesses); ++i) {
    if (kBadAccesses[i] == signal) sigaction(signal, &before_explaining[i], nullptr);
  }
}

gasnett_sighandlerfn_t own_quit_handler = SIG_DFL;

bool client_handles_quit() {
  struct sigaction current = {};
  sigaction(SIGQUIT, nullptr, &current);
  return current.sa_handler != SIG_DFL && current.sa_handler != SIG_IGN &&
         current.sa_handler != own_quit_handler;
}

constexpr int kNoCode = -1;
std::atomic<int> code_of_the_end{kNoCode};

void turn_into_quit(int signal) {
  const int error = errno;
  if (client_handles_quit()) {
    raise(SIGQUIT);
  } else {
    speak_last_words();
    if (const int code = code_of_the_end.load(); code != kNoCode) _exit(code);
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
  errno = error;
}

void handle_signal_of(const char* variable, gasnett_sighandlerfn_t handler) {
  const char* name = env::text({variable});
  if (name == nullptr) return;
  const int signal = signal_by_name(name);
  if (signal == 0) fatal("environment", "%s='%s' is not a signal such as SIGUSR1", variable, name);
  install(signal, handler, SA_RESTART);
}

bool is_left_alone(int signal) {
  static constexpr char kVariable[] = "GASNET_NO_CATCH_SIGNAL";
  std::string_view rest = env::text({kVariable}, "");
  if (rest == "*") return true;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string name(rest.substr(0, comma));
    const int named = signal_by_name(name.c_str());
    if (named == 0) {
      fatal("environment", "%s: '%s' is not a signal; a list such as SIGSEGV,6 or * is", kVariable,
            name.c_str());
    }
    if (named == signal) return true;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return false;
}

void install_where_free(std::span<const int> signals, gasnett_sighandlerfn_t handler, int flags) {
  for (const int signal : signals) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler == SIG_DFL && !is_left_alone(signal)) install(signal, handler, flags);
  }
}

}  // namespace

void end_with_code(int code) { code_of_the_end.store(code); }

int signal_by_name(const char* name) {
  int number = 0;
  const char* end = name + std::strlen(name);
  if (std::from_chars(name, end, number).ptr == end && number > 0 && number <= SIGRTMAX) return number;
  for (const NamedSignal& signal : kSignals) {
    if (strcasecmp(name, signal.name) == 0 || strcasecmp(name, signal.name + 3) == 0) return signal.number;
  }
  return 0;
}

void handle_debugging_signals() {
  handle_signal_of("GASNET_BACKTRACE_SIGNAL", write_backtrace_and_go_on);
  handle_signal_of("GASNET_FREEZE_SIGNAL", freeze_and_go_on);
}

void handle_fatal_signals() { install_where_free(kFatalSignals, announce_and_die, SA_ONSTACK); }

void handle_crashes(void (*prepare)()) {
  prepare_core_file = prepare;
  for (const int signal : kFatalSignals) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler != SIG_DFL || is_left_alone(signal)) continue;
    struct sigaction action = {};
    action.sa_sigaction = prepare_and_die;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

void handle_bad_accesses(void (*explain)(const void* address)) {
  explain_access = explain;
  for (std::size_t i = 0; i < std::size(kBadAccesses); ++i) {
    struct sigaction& before = before_explaining[i];
    sigaction(kBadAccesses[i], nullptr, &before);
    const bool is_clients = before.sa_handler != SIG_DFL && before.sa_handler != announce_and_die &&
                            before.sa_sigaction != prepare_and_die;
    if (is_clients || is_left_alone(kBadAccesses[i])) continue;
    struct sigaction action = {};
    action.sa_sigaction = explain_and_go_on;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(kBadAccesses[i], &action, nullptr);
  }
}

bool handle_where_free(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction current = {};
  sigaction(signal, nullptr, &current);
  if (current.sa_handler != SIG_DFL || is_left_alone(signal)) return false;
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  return sigaction(signal, &action, nullptr) == 0;
}

void handle_termination_signals(void (*quit)(int)) {
  own_quit_handler = quit;
  install_where_free(kTerminationSignals, turn_into_quit, SA_RESTART);
  install_where_free(kQuit, quit, SA_RESTART);
}

}  // namespace aqueduct::gasnet_tools

using namespace aqueduct::gasnet_tools;

extern "C" {

gasnett_sighandlerfn_t gasnett_reghandler(int signal, gasnett_sighandlerfn_t handler) {
  return install(signal, handler, SA_RESTART);
}

const char* gasnett_signame_fromval(int signal) {
  for (const NamedSignal& known : kSignals) {
    if (known.number == signal) return known.name;
  }
  return "unknown signal";
}

}  // extern "C"
