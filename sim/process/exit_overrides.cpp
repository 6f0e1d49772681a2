// How a program begins and ends.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "aqueduct/job.h"
#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"

namespace aqueduct::sim::process {
namespace {

using Main = int (*)(int, char**, char**);
using Plain = void (*)();

/// Programs of older C libraries bring a function that calls their constructors; it would do what begin()
/// does.
int start_main(Main main, int argc, char** argv, Plain, Plain, Plain, void*) {
  Process& process = Process::current();
  process.exit(process.begin(main, argc, argv));
}

[[noreturn]] void exit_program(int code) { Process::current().exit(code); }
[[noreturn]] void exit_at_once(int code) { Process::current().exit_at_once(code); }

[[noreturn]] void abort_program() {
  constexpr int kKilled = 128;
  Thread& thread = *Thread::current();
  thread.blocked &= ~only(SIGABRT);
  // A handler may jump away; if it returns, or there is none, this is the end.
  if (Process::current().signals.actions[SIGABRT].sa_handler != SIG_DFL) raise_in(thread, SIGABRT);
  Process::current().exit_at_once(kKilled + SIGABRT);
}

[[noreturn]] void assertion_failed(const char* what, const char* file, unsigned line, const char* function) {
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "?", what);
  abort_program();
}

int at_cxa_exit(void (*function)(void*), void* argument, void* object) {
  Process::current().at_exit(function, argument, object);
  return 0;
}

/// gasnet_exit(): at once, as in a live job.
[[noreturn]] void exit_job(int code) {
  Process& process = Process::current();
  process.prepare_exit();
  gasnet_exit(code);
}

void call_plain(void* function) { reinterpret_cast<Plain>(function)(); }

int at_exit(Plain function) {
  Process::current().at_exit(call_plain, reinterpret_cast<void*>(function), nullptr);
  return 0;
}

int on_exit_with_code(void (*function)(int, void*), void* argument) {
  Process::current().on_exit(function, argument);
  return 0;
}

void finalize(void* object) { Process::current().run_exit_handlers(object); }

int at_thread_exit(void (*function)(void*), void* argument, void*) {
  Thread::current()->at_end(function, argument);
  return 0;
}

}  // namespace

OverrideGroup exit_overrides() {
  static const Override table[] = {
      replaces("__libc_start_main", start_main),
      replaces("exit", exit_program),
      replaces("_exit", exit_at_once),
      replaces("_Exit", exit_at_once),
      replaces("quick_exit", exit_at_once),
      replaces("abort", abort_program),
      replaces("__assert_fail", assertion_failed),
      replaces("__cxa_atexit", at_cxa_exit),
      replaces("atexit", at_exit),
      replaces("on_exit", on_exit_with_code),
      replaces("__cxa_finalize", finalize),
      replaces("__cxa_thread_atexit_impl", at_thread_exit),
      replaces("gasnet_exit", exit_job),
  };
  return table;
}

}  // namespace aqueduct::sim::process
