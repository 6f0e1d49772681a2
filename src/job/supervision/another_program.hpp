// Finds out whether a rank's process has become another program.
#pragma once
#include <sys/types.h>

#include <fstream>
#include <string>

namespace aqueduct::job {

/// True for a living process that maps no shared memory of a job; every rank that has started the library
/// maps some.
inline bool runs_another_program(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  bool lives = false;
  for (std::string line; std::getline(maps, line); lives = true) {
    if (line.find("/memfd:aqueduct") != std::string::npos) return false;
  }
  return lives;
}

}  // namespace aqueduct::job
