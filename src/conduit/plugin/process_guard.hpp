// Protects the state of the process while a foreign library is loaded, asked or started.
//
// Network libraries change state of the whole process: libinfinipath, which libfabric links, handles SEGV,
// ABRT, TERM and more from the moment that it is mapped, writes a file into the working directory and exits
// with 1; UCX and Open MPI handle the same; Open MPI sets two dozen variables; others change rounding or
// flush denormals. A job would then end otherwise than on smp: no core file, no backtrace, another exit code.
//
// A guard saves this state and restores in its destructor what has changed:
//
//   signal actions            of all signals but those named below
//   of this thread            the signal mask, the alternate signal stack, how floating point rounds, traps
//                             and treats denormals, the locale
//   of the process            environment, locale, umask, working directory
//
// It does not restore: an action that a library has newly set for a real-time signal, which only its own
// threads and timers send; what a library's threads have set for themselves; the sticky flags of floating
// point. put_back() tells reports what was restored.
//
//   {
//     const ProcessGuard guard("ofi");
//     library = dlopen(...);
//   }
//
// Guards surround dlopen() of a plug-in and calls of its functions that load, probe or start something
// (registry.hpp, ForeignCall). One thread uses them, at the start of the library, while no other changes the
// same state. Guards may be nested. A guard costs some 50 us, so it is not for data paths.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace aqueduct::conduit::plugin {

class ProcessGuard {
 public:
  /// `who`: the conduit whose libraries run.
  explicit ProcessGuard(std::string who);
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;

 private:
  struct State;

  std::string who_;
  std::unique_ptr<State> before_;
};

/// What guards of that conduit have restored in this process, in words: "the actions of SIGINT, SIGSEGV". Any
/// thread.
std::vector<std::string> put_back(const std::string& who);

}  // namespace aqueduct::conduit::plugin
