// A small SeaStar machine for tests: processes are functions that call Portals.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "papers/nic/portals3/seastar/machine.hpp"
#include "portals3.h"
#include "sim/simulation.hpp"

namespace aqueduct::portals3::seastar::test {

constexpr double kExact = 1.5;  ///< nanoseconds: what rounding to packets and picoseconds can do

/// networks/NAME.toml; ends the test program if it cannot be read.
sim::NetworkModel network(const std::string& name, const std::vector<std::string>& changes = {});

struct StageSetup {
  fabric::NodeId nodes = 2;
  std::string faults{};  ///< as text
  std::uint64_t seed = 1;
  std::string network = "seastar-redstorm";
};

class Stage {
 public:
  explicit Stage(const StageSetup& setup = {});

  /// Starts a process; `main` is called with its default interface open.
  void start(NodeId node, ProcessKind kind, std::function<void(ptl_handle_ni_t)> main);

  /// Runs until all have ended; a failure of the test if they do not.
  void run();

  /// By a process: returns when as many as `parties` have come.
  void meet(unsigned parties);

  sim::Simulation& simulation() { return *simulation_; }
  Machine& machine() { return *machine_; }

 private:
  sim::NetworkModel model_;
  std::unique_ptr<sim::Simulation> simulation_;
  std::unique_ptr<Machine> machine_;
  std::vector<sim::Fiber*> waiting_;
};

inline constexpr ptl_pt_index_t kPortal = 3;
inline constexpr ptl_match_bits_t kBits = 7;

/// Memory that anybody may put to and get from, with a queue of its own.
struct Window {
  Window(ptl_handle_ni_t interface, void* start, std::size_t bytes, std::size_t events = 64);

  ptl_handle_eq_t queue = PTL_EQ_NONE;
  ptl_handle_me_t entry{};
  ptl_handle_md_t descriptor{};
};

/// Memory to put from and get into, with a queue of its own.
struct Source {
  Source(ptl_handle_ni_t interface, void* start, std::size_t bytes);

  void put(ptl_process_id_t target, ptl_ack_req_t acknowledge = PTL_ACK_REQ) const;
  void get(ptl_process_id_t target) const;

  ptl_handle_eq_t queue = PTL_EQ_NONE;
  ptl_handle_md_t descriptor{};
};

/// Takes events until one of `kind` comes, and returns that.
ptl_event_t wait_for(ptl_handle_eq_t queue, ptl_event_kind_t kind);

}  // namespace aqueduct::portals3::seastar::test
