// The benchmarks by name.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parameters.hpp"
#include "result.hpp"
#include "session.hpp"

namespace aqueduct::bench {

struct Bench {
  const char* name;
  const char* summary;
  unsigned least_ranks;
  unsigned default_repetitions;
  std::vector<std::string> kinds;  ///< the values of --kind, the default first; empty: no choice
  bool takes_sizes;
  bool takes_threads;

  /// The default sizes.
  std::vector<std::size_t> (*default_sizes)(const Parameters&);
  /// Bytes of data that each rank's segment must hold.
  std::size_t (*data_bytes)(const Parameters&);
  /// Runs on every rank; only rank 0's result is used. Throws Unsuitable.
  Result (*run)(Session&, const Parameters&);
  /// Runs in this process, in virtual time; null if it cannot be simulated. Throws Unsuitable.
  Result (*simulate)(const Parameters&) = nullptr;
  std::size_t least_size = 1;  ///< the smallest size for --sizes
  bool takes_raw = false;      ///< supports --against raw
  /// One line about complete parameters that are not possible; empty if they are. Null: all are possible.
  std::string (*complaint)(const Parameters&) = nullptr;
  const char* kind_option = "--kind";  ///< the option that chooses the kind
  bool takes_peers = false;            ///< supports --peers, and --against raw with several threads
  bool takes_memory = false;           ///< knows --local-memory, --remote-memory and --window
};

std::span<const Bench> all_benches();
const Bench* find_bench(std::string_view name);

/// The two tables of benchmarks: those of the demo, and the others, which the demo program does not contain.
std::vector<Bench> demo_benches();
std::vector<Bench> further_benches();

// The benchmarks and their files.
Result run_limits(Session&, const Parameters&);       // bench_limits.cpp
Result run_put_latency(Session&, const Parameters&);  // latency.cpp
Result run_get_latency(Session&, const Parameters&);
Result run_put_bandwidth(Session&, const Parameters&);  // bandwidth.cpp
Result run_get_bandwidth(Session&, const Parameters&);
Result run_am_latency(Session&, const Parameters&);  // am_latency.cpp
std::size_t am_latency_data_bytes(const Parameters&);
Result run_am_flood(Session&, const Parameters&);   // am_flood.cpp
Result run_put_flood(Session&, const Parameters&);  // put_flood.cpp
std::size_t put_flood_data_bytes(const Parameters&);
Result run_am_prepare(Session&, const Parameters&);  // am_prepare.cpp
Result run_am_crowd(Session&, const Parameters&);    // am_crowd.cpp
Result run_wait_modes(Session&, const Parameters&);  // wait_modes.cpp
Result run_injection(Session&, const Parameters&);   // injection.cpp
Result run_barrier(Session&, const Parameters&);     // barrier.cpp
Result run_reduce(Session&, const Parameters&);      // collectives.cpp
Result run_broadcast(Session&, const Parameters&);
Result run_team_barrier(Session&, const Parameters&);  // team_collectives.cpp
Result run_team_broadcast(Session&, const Parameters&);
std::size_t team_broadcast_data_bytes(const Parameters&);
Result run_random_access(Session&, const Parameters&);  // random_access.cpp
std::string complaint_about_random_access(const Parameters&);
std::vector<std::string> random_access_versions();
Result run_portals(Session&, const Parameters&);  // portals_bench.cpp
Result simulate_portals(const Parameters&);
std::vector<std::size_t> portals_perf_sizes(const Parameters&);
std::vector<std::size_t> portals_netpipe_sizes(const Parameters&);
Result run_atomics(Session&, const Parameters&);      // atomics.cpp
Result run_vis_strided(Session&, const Parameters&);  // vis_strided.cpp
std::size_t vis_strided_data_bytes(const Parameters&);
Result run_udp_seal(Session&, const Parameters&);  // seal.cpp

}  // namespace aqueduct::bench
