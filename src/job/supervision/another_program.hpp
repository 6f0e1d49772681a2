// Whether the process of a rank still runs the program that was the rank.
#pragma once
#include <sys/types.h>

#include <fstream>
#include <string>

namespace aqueduct::job {

/// Whether a living process has none of the job's shared memory mapped, as every rank that has started the
/// library has.
inline bool runs_another_program(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  bool lives = false;
  for (std::string line; std::getline(maps, line); lives = true) {
    if (line.find("/memfd:aqueduct") != std::string::npos) return false;
  }
  return lives;
}

}  // namespace aqueduct::job
