// The scenarios that `aqueduct sim` knows by name.
//
// A scenario is a program either of ranks, which uses the public interface and is called once in each
// simulated rank, or of ports, which drives the bare fabric. Both check what they receive and end the
// simulation with one line if it is wrong.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulation.hpp"

namespace aqueduct::scenarios {

struct Parameters {
  std::uint64_t seed = 0;
  std::uint32_t ranks = 0;
  unsigned rounds = 0;      ///< 0: the scenario's own
  std::size_t bytes = 0;    ///< likewise
  bool as_upc = false;      ///< random-access has the processor costs of a UPC program
  std::string version{};    ///< of random-access; empty: its first
  unsigned look_ahead = 0;  ///< likewise; 0: as much as its rules allow

  unsigned rounds_or(unsigned usual) const { return rounds != 0 ? rounds : usual; }
  std::size_t bytes_or(std::size_t usual) const { return bytes != 0 ? bytes : usual; }
};

/// A variable of the environment that a scenario chooses by its seed, unless the user has set it.
struct Setting {
  std::string name, value;
};

struct Scenario {
  const char* name;
  const char* summary;
  int (*rank_main)(const Parameters& parameters) = nullptr;
  /// Sets everything up; returns a function that checks the results after the simulation.
  std::function<void()> (*start_ports)(sim::Simulation& simulation, const Parameters& parameters) = nullptr;
  /// The faults unless the user gives others.
  const char* faults = "";
  /// One line about parameters that are not possible on that conduit; empty if they are. Null: all are
  /// possible.
  std::string (*complaint)(const Parameters& parameters, const std::string& conduit) = nullptr;
  /// Called before each run.
  std::vector<Setting> (*before_run)(const Parameters& parameters) = nullptr;
  /// Results of all runs for the user, in lines of a name, two spaces and a text.
  std::string (*findings)() = nullptr;
  /// Its ranks look into each other's memory, which is one in a simulation only.
  bool is_of_one_process = false;
};

std::span<const Scenario> all();
const Scenario* find(std::string_view name);

int ring(const Parameters& parameters);
int all_to_all(const Parameters& parameters);
int random_traffic(const Parameters& parameters);
std::vector<Setting> before_random(const Parameters& parameters);
int everywhere(const Parameters& parameters);
std::vector<Setting> before_everywhere(const Parameters& parameters);
int burst(const Parameters& parameters);
std::vector<Setting> before_burst(const Parameters& parameters);
std::string burst_findings();
int neighbours(const Parameters& parameters);
std::vector<Setting> before_neighbours(const Parameters& parameters);
std::string neighbours_findings();
int random_access(const Parameters& parameters);
std::vector<Setting> before_random_access(const Parameters& parameters);
std::string random_access_findings();
int barriers(const Parameters& parameters);
int allreduce(const Parameters& parameters);
int stencil(const Parameters& parameters);
int kernels(const Parameters& parameters);
int loggp(const Parameters& parameters);
int pairs(const Parameters& parameters);
int peers(const Parameters& parameters);
int put(const Parameters& parameters);
int outside_put(const Parameters& parameters);
int put_flood(const Parameters& parameters);
int round_trip(const Parameters& parameters);
int ping_ack(const Parameters& parameters);
int message_flood(const Parameters& parameters);
std::function<void()> packets(sim::Simulation& simulation, const Parameters& parameters);
std::function<void()> events(sim::Simulation& simulation, const Parameters& parameters);

}  // namespace aqueduct::scenarios
