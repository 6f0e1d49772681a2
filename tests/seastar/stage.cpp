#include "stage.hpp"

#include <gtest/gtest.h>

namespace aqueduct::portals3::seastar::test {

using sim::Fiber;

sim::NetworkModel network(const std::string& name, const std::vector<std::string>& changes) {
  std::string error;
  auto model = sim::NetworkModel::load(AQUEDUCT_NETWORKS "/" + name + ".toml", changes, &error);
  if (!model) {
    std::fprintf(stderr, "%s\n", error.c_str());
    std::abort();
  }
  return *model;
}

Stage::Stage(const StageSetup& wanted) : model_(network(wanted.network)) {
  sim::Setup setup;
  setup.model = &model_;
  setup.nodes = wanted.nodes;
  setup.seed = wanted.seed;
  std::string error;
  EXPECT_TRUE(setup.faults.add(wanted.faults, &error)) << error;
  simulation_ = std::make_unique<sim::Simulation>(setup);
  machine_ = std::make_unique<Machine>(*simulation_);
}

void Stage::start(NodeId node, ProcessKind kind, std::function<void(ptl_handle_ni_t)> main) {
  const std::string name = "process " + std::to_string(kind.pid);
  machine_->start(node, name, kind, [main = std::move(main)] {
    int interfaces = 0;
    ptl_handle_ni_t interface;
    ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
    ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &interface), PTL_OK);
    main(interface);
    PtlFini();
  });
}

void Stage::run() { EXPECT_TRUE(simulation_->run()) << simulation_->fibers().describe_stuck(8); }

void Stage::meet(unsigned parties) {
  if (waiting_.size() + 1 < parties) {
    waiting_.push_back(Fiber::current());
    Fiber::current()->park("the others");
    return;
  }
  for (Fiber* const fiber : waiting_) fiber->wake();
  waiting_.clear();
}

Window::Window(ptl_handle_ni_t interface, void* start, std::size_t bytes, std::size_t events) {
  const ptl_process_id_t anybody{PTL_NID_ANY, PTL_PID_ANY};
  EXPECT_EQ(PtlEQAlloc(interface, events, PTL_EQ_HANDLER_NONE, &queue), PTL_OK);
  EXPECT_EQ(PtlMEAttach(interface, kPortal, anybody, kBits, 0, PTL_RETAIN, PTL_INS_AFTER, &entry), PTL_OK);
  const ptl_md_t memory{.start = start,
                        .length = bytes,
                        .threshold = PTL_MD_THRESH_INF,
                        .max_size = 0,
                        .options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE,
                        .user_ptr = nullptr,
                        .eq_handle = queue};
  EXPECT_EQ(PtlMDAttach(entry, memory, PTL_RETAIN, &descriptor), PTL_OK);
}

Source::Source(ptl_handle_ni_t interface, void* start, std::size_t bytes) {
  EXPECT_EQ(PtlEQAlloc(interface, 64, PTL_EQ_HANDLER_NONE, &queue), PTL_OK);
  const ptl_md_t memory{.start = start,
                        .length = bytes,
                        .threshold = PTL_MD_THRESH_INF,
                        .max_size = 0,
                        .options = 0,
                        .user_ptr = nullptr,
                        .eq_handle = queue};
  EXPECT_EQ(PtlMDBind(interface, memory, PTL_RETAIN, &descriptor), PTL_OK);
}

void Source::put(ptl_process_id_t target, ptl_ack_req_t acknowledge) const {
  EXPECT_EQ(PtlPut(descriptor, acknowledge, target, kPortal, 0, kBits, 0, 0), PTL_OK);
}

void Source::get(ptl_process_id_t target) const {
  EXPECT_EQ(PtlGet(descriptor, target, kPortal, 0, kBits, 0), PTL_OK);
}

ptl_event_t wait_for(ptl_handle_eq_t queue, ptl_event_kind_t kind) {
  ptl_event_t event;
  do {
    EXPECT_EQ(PtlEQWait(queue, &event), PTL_OK);
  } while (event.type != kind);
  return event;
}

}  // namespace aqueduct::portals3::seastar::test
