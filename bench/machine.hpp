// On what a result was measured.
#pragma once
#include <string>

#include "parameters.hpp"

namespace aqueduct::bench {

/// The load from which on the numbers are not to be trusted without a word.
inline constexpr double kDisturbing = 0.5;

struct Machine {
  std::string cpu;     ///< the processor's own name
  unsigned cores = 1;  ///< that this process may use
  std::string kernel;
  std::string compiler;
  std::string version;  ///< of the library
  std::string bind;     ///< how ranks were bound to cores, as asked for
  std::string date;     ///< UTC, ISO 8601
  double load = 0;      ///< threads of other programs that wanted a core just before the run, on average
  bool oversubscribed = false;  ///< more communicating threads than cores
};

/// This machine, now, as the run with these parameters finds it.
Machine describe_machine(const Parameters& parameters);

}  // namespace aqueduct::bench
