// What the options of `aqueduct sim` say, and what they mean. A wrong one is a CLI::ValidationError.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine.hpp"
#include "sim/process/computing.hpp"
#include "sim/simulated_job.hpp"
#include "sim/topology.hpp"
#include "sim/units.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::simulate {

using namespace aqueduct::sim;

struct SimOptions {
  std::string network = "crossbar";
  fabric::NodeId nodes = 8;
  std::string dimensions;
  unsigned ranks_per_node = 1;
  std::uint64_t seed = 1;
  std::string seeds;
  bool statistics = false;
  bool stop_at_failure = false;
  unsigned jobs = 0;  // 0: as many as there are cores
  std::string json;   // a file
  std::optional<std::string> faults;
  std::vector<std::string> overrides;
  std::string conduit = "wire";
  std::string bridge;  // empty: the machine's default
  std::string placement = "packed";
  bool every_packet = false;
  std::optional<bool> tag;          // lines of output of an executable
  std::vector<std::string> shared;  // libraries of an executable
  std::string links;                // a file
  std::string trace;                // a file
  std::string replay;               // a file
  double compute = 1;
  std::string computing;  // of an executable: words of --compute; empty: free
  double patience = 10;   // seconds
  std::string against;    // a network
  std::string segment = "1 MiB";
  std::string stack = "256 KiB";
  std::string time_limit = "100 s";
  scenarios::Parameters parameters;
  bool list = false;
  bool costs = false;
  bool live = false;
  std::string calibrate, validate;   // hosts
  std::string live_conduit = "udp";  // of these two
  std::string out = "calibrated.toml";
  unsigned runs = 9;
};

/// Memory that is not touched costs nothing, and programs ask for what live jobs would give them.
inline constexpr const char* kSegmentOfExecutables = "256 MiB";
inline constexpr const char* kStackOfExecutables = "8 MiB";

struct Seeds {
  std::uint64_t first = 1, count = 1;
};

/// The value of an option, such as "1 MiB".
std::uint64_t take(const std::string& option, const std::string& text, Dimension dimension,
                   std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);
/// Of --stack.
std::uint64_t stack_bytes_of(const SimOptions& options);
JobOptions job_options_of(const SimOptions& options);
Topology::Dimensions parse_dimensions(const std::string& text);
/// Of --seeds and --seed.
Seeds parse_seeds(const SimOptions& options);
/// The kind of machine that the conduit runs on.
const MachineKind& machine_of(const SimOptions& options);
/// The network with the numbers that the user has replaced.
std::string network_in_words(const SimOptions& options);
/// Of --compute, for an executable.
process::ComputeModel compute_model_of(const SimOptions& options);
/// Empty, or what is wrong with the scale of --compute.
std::string check_scale(const std::string& text);

}  // namespace aqueduct::simulate
