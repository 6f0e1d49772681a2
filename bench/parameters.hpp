// The parameters of one benchmark run; the command fills them in, the ranks receive them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqueduct::bench {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

struct Parameters {
  std::string bench;
  std::string conduit;                ///< empty: the library chooses
  std::string kind;                   ///< the operation, if the benchmark has several
  std::string mode = "seq";           ///< thread mode of the client: seq or par
  std::string against;                ///< raw: the limit is the bare interface below the conduit
  std::string local_memory = "host";  ///< of puts and gets: host or device
  std::string remote_memory = "host";
  std::string device_class;    ///< cuda, hip or ze; empty: the first of these that is there
  std::size_t window = 0;      ///< memory that successive puts and gets pass through; 0: a few places
  std::string bind = "auto";   ///< as `aqueduct run --bind`
  unsigned look_ahead = 1024;  ///< of random-access: updates that a rank may hold
  unsigned ranks = 2;
  unsigned threads = 1;             ///< threads of each rank that communicate
  unsigned peers = 1;               ///< that rank 0 sends to
  unsigned repetitions = 0;         ///< batches per row
  std::vector<std::size_t> sizes;   ///< payload bytes, one row (or family of rows) each
  bool crowded = false;             ///< more ranks than cores; the starting process sets it
  bool inject_error = false;        ///< damages one word, to test the self-check
  std::string simulate;             ///< the network to simulate; empty: a live job
  std::vector<std::string> change;  ///< overrides of that network's numbers: costs.trap=150ns
  std::string bridge = "qk";        ///< the bridge of simulated processes: qk, uk, k, accelerated
  std::string faults;               ///< the faults of the simulation (sim/faults.hpp)
  std::uint64_t seed = 0;           ///< of the simulation
  int result_fd = -1;               ///< the file of rank 0's result for the process that started the job

  bool par() const { return mode == "par"; }
  bool uses_devices() const { return local_memory == "device" || remote_memory == "device"; }
};

/// "8", "4K", "1M", "1G" (powers of 1024). Nothing for anything else, for less than `least` and for more than
/// 1 GiB.
std::optional<std::size_t> parse_size(std::string_view text, std::size_t least = 1);

/// A comma-separated list of sizes, not empty.
std::optional<std::vector<std::size_t>> parse_sizes(std::string_view text, std::size_t least = 1);

/// The short form of a size, as parse_size reads it: 8, 4K, 1M.
std::string size_text(std::size_t bytes);

}  // namespace aqueduct::bench
