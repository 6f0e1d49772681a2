// `aqueduct sim --calibrate HOSTS` measures a live network and writes its network file; `aqueduct sim
// --validate HOSTS` compares live times of programs with simulated ones on such a file.
//
// Both run scenarios of `aqueduct sim`, the same code live and simulated. They throw std::invalid_argument
// for what cannot be as it was asked for, and std::runtime_error for what went wrong on the way; each with
// one line.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/network_model.hpp"

namespace aqueduct::calibrate {

struct Request {
  std::string hosts;    ///< as typed
  std::string conduit;  ///< live
  std::string file;     ///< of --calibrate, to be written
  unsigned rounds = 0;  ///< of each series; 0: enough
  unsigned runs = 9;    ///< of each program
  std::string machine;  ///< in words: processor, cores, kernel
  unsigned cores = 1;   ///< of this machine
};

/// Called before each step, with its name and the part of the work that is done.
using Watch = std::function<void(const std::string& what, double done)>;

/// Writes the file; returns what was found, for people.
std::string calibrate(const Request& request, const Watch& watch);

/// Returns the table.
std::string validate(const Request& request, const sim::NetworkModel& model, const std::string& network,
                     const Watch& watch);

}  // namespace aqueduct::calibrate
