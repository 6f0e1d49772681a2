// The machine of a result.
#pragma once
#include <string>

#include "parameters.hpp"

namespace aqueduct::bench {

/// From this load on, the output warns that the numbers may be wrong.
inline constexpr double kDisturbing = 0.5;

struct Machine {
  std::string cpu;     ///< the processor's own name
  unsigned cores = 1;  ///< that this process may use
  std::string kernel;
  std::string compiler;
  std::string version;  ///< of the library
  std::string bind;     ///< how ranks were bound to cores, as asked for
  std::string date;     ///< UTC, ISO 8601
  double load = 0;  ///< average number of threads of other programs that wanted a core just before the run
  bool oversubscribed = false;  ///< more communicating threads than cores
};

/// This machine now, for a run with these parameters.
Machine describe_machine(const Parameters& parameters);

}  // namespace aqueduct::bench
