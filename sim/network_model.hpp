// A network as its file under networks/ describes it: topology, speeds, and the costs of the hosts' work.
//
// The file is TOML. Every number is a table that says where it comes from, and nothing else is a number:
//
//   name = "seastar-xt4"
//   summary = "Cray XT4: SeaStar on a 3D torus"
//   topology = "torus"                # torus, mesh, crossbar, dragonfly or tree (topology.hpp)
//   routing = "dimension-order"       # or minimal, hashed, adaptive (routing.hpp); may be absent
//   ordered = true                    # headers between two nodes keep their order
//   inline_bytes = { value = 12, unit = "B", given = "Red Storm paper, section 3" }
//   packet_bytes = { value = 64, unit = "B", given = "..." }
//   header_bytes = { ... }            # that a message's header takes on the wire; absent: as many as it has
//
//   [link]                            # one direction of a cable
//   bandwidth = { value = 2500, unit = "MB/s", given = "..." }
//   hop       = { value = 50, unit = "ns", calibrated = "one-hop latency, figure 3" }
//   channels  = { ... }               # virtual channels; absent: as many as the routing needs
//   buffer    = { ... }               # packets that the far end of a link holds for each channel
//   flit_bytes      = { ... }         # on links a packet takes whole flits
//   packet_overhead = { ... }         # bytes of a packet on a link that carry no payload
//
//   [injection]                       # from a node's interface into the network
//   bandwidth   = { ... }             # of payload and header
//   per_message = { ... }             # time before the header leaves
//   per_packet  = { ... }
//   messages    = { ... } # of a port under way; beyond that send() says to try again
//   [ejection]                        # from the network into a node's interface; the first three, and
//   room        = { ... }             # bytes of payload that the interface holds until they are accepted
//
//   axes = { value = 2, ... }         # of a torus or mesh; absent: 3
//   [dragonfly]                       # counts
//   columns = { ... }  rows = { ... }  nodes_per_router = { ... }  global_links = { ... }  # of a router
//   [column]                          # links along columns and between groups, where they differ: bandwidth
//   [global]                          # and hop
//   [tree]
//   arity = { ... }                   # nodes of a leaf switch, and links upwards of every switch
//
// These may be absent: header_bytes, routing, [link] after hop, messages, room, axes, reroute, and the tables
// of other topologies. Without `buffer` links and nodes hold any amount and nothing ever blocks; with it
// `room` is needed. Without `reroute` routers avoid a cable after one timeout if routing is adaptive, so that
// the second try of a message finds another way, and otherwise never: the ways of fixed and hashed routing
// are tables that management software writes, on real machines seconds later.
//
//   [reliability]
//   timeout = { ... }                 # from the end of sending to the next try, if nothing was heard
//   tries   = { value = 8, unit = "1", ... }
//   reroute = { ... }                 # from the failure of a cable until routers avoid it (routing.hpp)
//
//   [costs]                           # what work of hosts and interfaces costs, by name
//   trap = { value = 75, unit = "ns", given = "Red Storm paper, section 3.3" }
//   copy = { value = 40, unit = "ns", per_byte = 0.25, calibrated = "..." }   # more for each byte
//   pin  = { value = 500, unit = "ns", each = 250, calibrated = "..." }       # for each page or entry
//
//   [host]                            # absent: every rank has a core of its own
//   cores    = { ... }                # of a machine
//   nodes    = { ... }                # of the network that are one machine; absent: 1
//   turn     = { ... }                # what a rank that waits on a shared core takes until it has yielded it
//   turn_more = { ... }               # besides, for each rank beyond two that shares the core; may be left out
//   patience = { ... }                # how long it does that before it sleeps
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
// of the file, for experiments.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/time.hpp"

namespace aqueduct::sim {

enum class Dimension : std::uint8_t { kTime, kBytes, kBandwidth, kCount };
enum class NumberSource : std::uint8_t { kGiven, kCalibrated, kAssumed, kOverridden };

/// One number of the file. `value` is in picoseconds, bytes, femtoseconds per byte (bandwidths) or ones.
struct Number {
  std::string name;  ///< with its table: "link.bandwidth"
  std::uint64_t value = 0;
  std::uint64_t fs_per_byte = 0;  ///< the per_byte part of a cost
  Dimension dimension = Dimension::kTime;
  NumberSource source = NumberSource::kGiven;
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

enum class TopologyKind : std::uint8_t { kCrossbar, kMesh, kTorus, kDragonfly, kTree };

/// How routing chooses one of several ways (routing.hpp).
enum class Routing : std::uint8_t { kFixed, kHashed, kAdaptive };

/// The parameters of a topology beside the number of nodes.
struct Shape {
  TopologyKind kind = TopologyKind::kCrossbar;
  unsigned axes = 3;  ///< of a torus or mesh
  // Of a dragonfly: its groups have columns x rows routers.
  std::uint32_t columns = 0, rows = 0, nodes_per_router = 0, global_links = 0;
  std::uint32_t arity = 0;  ///< of a tree
};

/// One direction of a cable: the time per byte, and the time of the first byte to the next router.
struct LinkSpeed {
  Rate rate;
  Time hop = 0;
};

/// The gate into or out of the network.
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
  /// The same from text; messages call it `path`.
  static std::optional<NetworkModel> parse(std::string_view text, const std::string& path,
                                           std::span<const std::string> overrides, std::string* error);

  std::string name;
  std::string summary;
  std::uint32_t file_crc32 = 0;  ///< of the file's text, whatever overrides changed
  TopologyKind topology = TopologyKind::kCrossbar;
  Shape shape;
  Routing routing = Routing::kFixed;
  bool ordered = true;
  std::size_t inline_bytes = 0;
  std::size_t packet_bytes = 64;
  std::size_t header_bytes = 0;  ///< on the wire; 0: the header's own size
  Rate link;
  Time hop = 0;
  LinkSpeed column_line, global_line;  ///< of a dragonfly
  std::uint32_t channels = 0;          ///< 0: as many as the routing needs
  std::uint32_t buffer = 0;            ///< packets, for each channel of a link; 0: without limit
  std::size_t flit_bytes = 1;
  std::size_t packet_overhead = 0;
  Gate injection;
  Gate ejection;
  std::size_t room = 0;  ///< of a node, for payload that is not accepted yet; used together with `buffer`
  std::uint32_t most_under_way = 0;            ///< messages of a port
  std::uint32_t cores = 0;                     ///< of a machine; 0: as many as it has ranks
  std::uint32_t nodes_of_machine = 1;          ///< that share its cores
  Time turn = 0, turn_more = 0, patience = 0;  ///< of a rank that waits on a shared core (core.hpp)
  Time retry_timeout = 0;
  std::uint32_t tries = 1;
  Time reroute = kNever;  ///< from the failure of a cable until routers avoid it

  std::span<const Cost> costs() const { return costs_; }
  const Cost& operator[](CostId cost) const { return costs_[cost.index]; }
  /// The cost called `name`; nothing if the file has none.
  std::optional<CostId> find_cost(std::string_view name) const;
  /// The same, but ends the program with one line if it is missing.
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
