// The hosts of a calibration: real ones, hosts that a layout pretends on this machine, or the nodes of a
// simulated network, whose numbers are known; and the jobs on them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/network_model.hpp"
#include "tools/scenarios/samples.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::calibrate {

struct Hosts {
  std::string text;                            ///< as typed: "a,b", "1+1", or "simulated:crossbar"
  bool is_pretended = false;                   ///< a layout of this machine
  std::optional<sim::NetworkModel> network{};  ///< of simulated ones
  unsigned count = 0;
};

/// Throws std::invalid_argument with one line if there are not two hosts at least.
Hosts parse_hosts(const std::string& text, const std::string& option);

struct LiveJob {
  unsigned ranks = 2;
  std::string conduit;
  const char* scenario = "";
  scenarios::Parameters parameters{};  ///< rounds and bytes count
  bool on_one_core = false;            ///< of this machine
};

/// Runs the job of `aqueduct sim --live`; every rank is a host of its own where hosts are pretended. Throws
/// std::runtime_error with the reason in one line.
std::vector<scenarios::Sample> run_live(const Hosts& hosts, const LiveJob& job);

/// The command line of it, for people.
std::string command_of(const Hosts& hosts, const LiveJob& job);

/// The conduit that a simulation has in the place of a live one: itself, or `wire` for a plug-in of a real
/// network. Throws std::invalid_argument with one line if there is no network below the conduit, or one with
/// an interface of its own.
std::string simulated_twin(const std::string& conduit);

}  // namespace aqueduct::calibrate
