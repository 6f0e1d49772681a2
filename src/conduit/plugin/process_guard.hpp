// Keeps the process as its program has made it, while a foreign library is loaded, asked or started.
//
// Libraries of networks change what belongs to the whole process: libinfinipath, which libfabric links,
// handles SEGV, ABRT, TERM and more from the moment that it is mapped, writes a file into the working
// directory and exits with 1; UCX and Open MPI handle the same; Open MPI sets two dozen variables; others
// round differently or flush denormals. A job would then end in another way than on smp: no core file, no
// backtrace, another exit code.
//
// A guard remembers, and puts back when it goes, what has become different:
//
//   signal actions            of all signals but those below
//   of this thread            the signal mask, the alternate signal stack, how floating point rounds, traps
//                             and treats denormals, the locale
//   of the process            environment, locale, umask, working directory
//
// Left alone: an action that a library has newly set for a real-time signal, which nobody but its own threads
// and timers sends; what the threads of a library have set for themselves; exceptions that floating point has
// merely counted. What was put back is remembered for reports (put_back()).
//
//   {
//     const ProcessGuard guard("ofi");
//     library = dlopen(...);
//   }
//
// Where: around dlopen() of a plug-in and around those of its functions that load, probe or start something
// (registry.hpp, ForeignCall). By one thread, while no other changes the same things: at the start of the
// library. Guards may be nested. Costs some 50 us, so not on data paths.
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

/// What was put back behind that conduit in this process, in words: "the actions of SIGINT, SIGSEGV". Any
/// thread.
std::vector<std::string> put_back(const std::string& who);

}  // namespace aqueduct::conduit::plugin
