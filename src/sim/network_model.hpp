// A network as its file under networks/ describes it: topology, speeds, and what the hosts' work costs.
//
// The file is TOML. Every number is a table that says where it comes from, and nothing else is a number:
//
//   name = "seastar-xt4"
//   summary = "Cray XT4: SeaStar on a 3D torus"
//   topology = "torus"                # torus, mesh or crossbar
//   ordered = true                    # headers between two nodes keep their order
//   inline_bytes = { value = 12, unit = "B", given = "Red Storm paper, section 3" }
//   packet_bytes = { value = 64, unit = "B", given = "..." }
//
//   [link]                            # one direction of a cable
//   bandwidth = { value = 2500, unit = "MB/s", given = "..." }
//   hop       = { value = 50, unit = "ns", calibrated = "one-hop latency, figure 3" }
//
//   [injection]                       # from a node's interface into the network
//   bandwidth   = { ... }             # of payload and header
//   per_message = { ... }             # time before the header leaves
//   per_packet  = { ... }
//   [ejection]                        # from the network into a node's interface; the same three
//
//   [reliability]
//   timeout = { ... }                 # from the end of sending to the next try, if nothing was heard
//   tries   = { value = 8, unit = "1", ... }
//
//   [costs]                           # what work of hosts and interfaces costs, by name
//   trap = { value = 75, unit = "ns", given = "Red Storm paper, section 3.3" }
//   copy = { value = 40, unit = "ns", per_byte = 0.25, calibrated = "..." }   # more for each byte
//   pin  = { value = 500, unit = "ns", each = 250, calibrated = "..." }       # for each page or entry
//
//   [nic]                             # other numbers that an interface asks for by name
//   header_bytes = { value = 52, unit = "B", given = "..." }
//
// Units: ps ns us ms s; B KiB MiB; MB/s GB/s (powers of ten); 1 for plain counts. A number has exactly one of
// `given` (which paper says so), `calibrated` (a stated value fixed it: which) and `assumed` (neither: why
// this much), with a text. A name that is missing, unknown (outside of costs and nic) or malformed is an
// error that names the file, the line and what to do.
//
// An override ("costs.trap=150ns"; "costs.pin.each=20ns" for the variable part of a cost) replaces a number
// of the file, to see what it does.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/time.hpp"

namespace aqueduct::sim {

enum class Dimension : std::uint8_t { kTime, kBytes, kBandwidth, kCount };
enum class Source : std::uint8_t { kGiven, kCalibrated, kAssumed, kOverridden };

/// One number of the file. `value` is in picoseconds, bytes, femtoseconds per byte (bandwidths) or ones.
struct Number {
  std::string name;  ///< with its table: "link.bandwidth"
  std::uint64_t value = 0;
  std::uint64_t fs_per_byte = 0;  ///< the per_byte part of a cost
  Dimension dimension = Dimension::kTime;
  Source source = Source::kGiven;
  std::string according_to;
};

struct CostId {
  std::uint32_t index = 0;
};

struct Cost {
  std::string name;
  Time fixed = 0;
  Rate per_byte;

  Time of(std::size_t bytes) const { return fixed + per_byte.of(bytes); }
};

enum class TopologyKind : std::uint8_t { kCrossbar, kMesh, kTorus };

/// Into or out of the network.
struct Gate {
  Rate rate;
  Time per_message = 0;
  Time per_packet = 0;
};

class NetworkModel {
 public:
  /// Reads a file; on failure the text in `*error` names the place and what to do.
  static std::optional<NetworkModel> load(const std::string& path, std::span<const std::string> overrides,
                                          std::string* error);
  /// The same from text, as if it stood in a file called `path`.
  static std::optional<NetworkModel> parse(std::string_view text, const std::string& path,
                                           std::span<const std::string> overrides, std::string* error);

  std::string name;
  std::string summary;
  std::uint32_t file_crc32 = 0;  ///< of the file's text, whatever overrides changed
  TopologyKind topology = TopologyKind::kCrossbar;
  bool ordered = true;
  std::size_t inline_bytes = 0;
  std::size_t packet_bytes = 64;
  Rate link;
  Time hop = 0;
  Gate injection;
  Gate ejection;
  Time retry_timeout = 0;
  std::uint32_t tries = 1;

  std::span<const Cost> costs() const { return costs_; }
  const Cost& operator[](CostId cost) const { return costs_[cost.index]; }
  /// The cost called `name`; nothing if the file has none.
  std::optional<CostId> find_cost(std::string_view name) const;
  /// The cost called `name`, which the caller cannot do without: ends the program with one line if it is
  /// missing.
  CostId cost(std::string_view name) const;
  /// nic.`name`, in its base unit; ends the program with one line if it is missing or of another dimension.
  std::uint64_t nic(std::string_view name, Dimension dimension) const;

  /// Every number with its origin, by name within each table.
  std::span<const Number> numbers() const { return numbers_; }

 private:
  friend class ModelReader;
  std::string path_;
  std::vector<Cost> costs_;
  std::vector<Number> numbers_;
};

}  // namespace aqueduct::sim
