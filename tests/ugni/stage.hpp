// A small Aries machine for tests: processes are functions that call uGNI.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gni_pub.h"
#include "papers/nic/ugni/aries/machine.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::ugni::aries::test {

/// networks/aries-knl.toml; ends the test program if it cannot be read.
sim::NetworkModel network(const std::vector<std::string>& changes = {});

struct StageSetup {
  /// The node of each process. Nodes 0 and 4 are at neighbouring routers.
  std::vector<fabric::NodeId> nodes{0, 4};
  std::string faults{};  ///< as text
  std::uint64_t seed = 1;
  std::vector<std::string> changes{};  ///< of the network
  std::uint32_t source_entries = 512;  ///< of the queues of posts
};

/// What a process begins with: a domain, queues, a window that others may reach, an endpoint to everybody.
struct Party {
  static constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

  NodeId self = 0;
  gni_cdm_handle_t domain{};
  gni_nic_handle_t nic{};
  gni_cq_handle_t source{}, target{};
  std::vector<std::uint64_t> window, local;
  gni_mem_handle_t window_memory{}, local_memory{};
  std::vector<gni_ep_handle_t> to;
  std::vector<Party*> all;

  /// 8 bytes, unless said otherwise, from `local` to the window of a peer, or back.
  gni_post_descriptor_t post(gni_post_type_t type, NodeId peer, std::size_t bytes = 8,
                             std::uint16_t events = GNI_CQMODE_GLOBAL_EVENT) const;
  void start(gni_post_descriptor_t& descriptor, NodeId peer);
  gni_cq_entry_t wait(gni_cq_handle_t queue) const;
  /// Waits for the next event of our own posts and returns whose it was.
  gni_post_descriptor_t* wait_completed() const;
};

class Stage {
 public:
  explicit Stage(const StageSetup& setup = {});
  ~Stage();

  /// What process `port` does, once everybody is ready.
  void start(NodeId port, std::function<void(Party&)> main);
  /// Runs until all have ended; a failure of the test if they do not.
  void run();
  /// By a process: returns when all have come.
  void meet();
  sim::Time now() { return simulation_->engine().now(); }
  sim::Simulation& simulation() { return *simulation_; }

 private:
  void open(Party& party);

  sim::NetworkModel model_;
  std::uint32_t source_entries_;
  std::unique_ptr<sim::Simulation> simulation_;
  std::unique_ptr<Machine> machine_;
  std::vector<std::unique_ptr<Party>> parties_;
  std::vector<sim::Fiber*> waiting_;
};

}  // namespace aqueduct::ugni::aries::test
