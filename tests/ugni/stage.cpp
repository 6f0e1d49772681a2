#include "stage.hpp"

#include <gtest/gtest.h>

namespace aqueduct::ugni::aries::test {

using sim::Fiber;

sim::NetworkModel network(const std::vector<std::string>& changes) {
  std::string error;
  auto model = sim::NetworkModel::load(AQUEDUCT_NETWORKS "/aries-knl.toml", changes, &error);
  if (!model) {
    std::fprintf(stderr, "%s\n", error.c_str());
    std::abort();
  }
  return *model;
}

gni_post_descriptor_t Party::post(gni_post_type_t type, NodeId peer, std::size_t bytes,
                                  std::uint16_t events) const {
  gni_post_descriptor_t descriptor{};
  descriptor.type = type;
  descriptor.cq_mode = events;
  descriptor.local_addr = reinterpret_cast<std::uint64_t>(local.data());
  descriptor.local_mem_hndl = local_memory;
  descriptor.remote_addr = reinterpret_cast<std::uint64_t>(all[peer]->window.data());
  descriptor.remote_mem_hndl = all[peer]->window_memory;
  descriptor.length = bytes;
  return descriptor;
}

void Party::start(gni_post_descriptor_t& descriptor, NodeId peer) {
  gni_return_t code;
  if (descriptor.type == GNI_POST_RDMA_PUT || descriptor.type == GNI_POST_RDMA_GET) {
    code = GNI_PostRdma(to[peer], &descriptor);
  } else if (descriptor.type == GNI_POST_CQWRITE) {
    code = GNI_PostCqWrite(to[peer], &descriptor);
  } else {
    code = GNI_PostFma(to[peer], &descriptor);
  }
  ASSERT_EQ(code, GNI_RC_SUCCESS) << gni_err_str[code];
}

gni_cq_entry_t Party::wait(gni_cq_handle_t queue) const {
  gni_cq_entry_t entry = 0;
  EXPECT_EQ(GNI_CqWaitEvent(queue, ~std::uint64_t{0}, &entry), GNI_RC_SUCCESS);
  return entry;
}

gni_post_descriptor_t* Party::wait_completed() const {
  gni_post_descriptor_t* found = nullptr;
  EXPECT_EQ(GNI_GetCompleted(source, wait(source), &found), GNI_RC_SUCCESS);
  return found;
}

Stage::Stage(const StageSetup& wanted)
    : model_(network(wanted.changes)), source_entries_(wanted.source_entries) {
  sim::Setup setup;
  setup.model = &model_;
  setup.nodes = 1 + *std::max_element(wanted.nodes.begin(), wanted.nodes.end());
  setup.placement = wanted.nodes;
  setup.seed = wanted.seed;
  std::string error;
  EXPECT_TRUE(setup.faults.add(wanted.faults, &error)) << error;
  simulation_ = std::make_unique<sim::Simulation>(setup);
  machine_ = std::make_unique<Machine>(*simulation_);
  for (NodeId port = 0; port < simulation_->ports(); ++port) {
    parties_.push_back(std::make_unique<Party>());
    parties_.back()->self = port;
  }
}

Stage::~Stage() = default;

void Stage::open(Party& party) {
  const std::uint32_t modes = GNI_CDM_MODE_DUAL_EVENTS | GNI_CDM_MODE_ERR_NO_KILL;
  std::uint32_t address;
  party.window.resize(Party::kWindowBytes / 8);
  party.local.resize(Party::kWindowBytes / 8);
  const auto add = [&](std::vector<std::uint64_t>& words, gni_cq_handle_t queue, gni_mem_handle_t* memory) {
    ASSERT_EQ(GNI_MemRegister(party.nic, reinterpret_cast<std::uint64_t>(words.data()), words.size() * 8,
                              queue, GNI_MEM_READWRITE, ~0u, memory),
              GNI_RC_SUCCESS);
  };
  ASSERT_EQ(GNI_CdmCreate(party.self, GNI_FIND_ALLOC_PTAG, 1, modes, &party.domain), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_CdmAttach(party.domain, 0, &address, &party.nic), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_CqCreate(party.nic, source_entries_, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &party.source),
            GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_CqCreate(party.nic, 4096, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &party.target),
            GNI_RC_SUCCESS);
  add(party.window, party.target, &party.window_memory);
  add(party.local, nullptr, &party.local_memory);
  for (NodeId peer = 0; peer < parties_.size(); ++peer) {
    party.to.push_back(nullptr);
    ASSERT_EQ(GNI_EpCreate(party.nic, party.source, &party.to.back()), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_EpBind(party.to.back(), peer, peer), GNI_RC_SUCCESS);
    party.all.push_back(parties_[peer].get());
  }
}

void Stage::start(NodeId port, std::function<void(Party&)> main) {
  Party* const party = parties_[port].get();
  machine_->start(port, "process " + std::to_string(port), [this, party, main = std::move(main)] {
    open(*party);
    meet();
    main(*party);
    meet();
    EXPECT_EQ(GNI_CdmDestroy(party->domain), GNI_RC_SUCCESS);
  });
}

void Stage::run() { EXPECT_TRUE(simulation_->run()) << simulation_->fibers().describe_stuck(8); }

void Stage::meet() {
  if (waiting_.size() + 1 < parties_.size()) {
    waiting_.push_back(Fiber::current());
    Fiber::current()->park("the others");
    return;
  }
  for (Fiber* const fiber : waiting_) fiber->wake();
  waiting_.clear();
}

}  // namespace aqueduct::ugni::aries::test
