// What a process and an operation may cost in memory: simulated machines have thousands of the one and
// millions of the other.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "base/clock.hpp"
#include "papers/nic/portals3/bridge.hpp"
#include "papers/nic/portals3/process.hpp"
#include "portals3.h"
#include "portals3/allocations.hpp"
#include "portals3/direct_bridge.hpp"

namespace aqueduct::test {
namespace {

using namespace portals3;

/// A node that talks to itself: every message is parsed and finalized at the next progress().
class MirrorNal : public Nal {
 public:
  void set_library(Library& library) override { library_ = &library; }
  NodeId self() const override { return 0; }
  NodeId nodes() const override { return 1; }
  unsigned long distance(NodeId) const override { return 0; }
  void send(NicTransfer& transfer) override {
    transfer.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &transfer;
    last_ = &transfer;
  }
  unsigned progress() override {
    unsigned moved = 0;
    for (; first_ != nullptr; ++moved) {
      NicTransfer& transfer = *first_;
      first_ = transfer.next;
      if (first_ == nullptr) last_ = nullptr;
      const Verdict verdict = library_->parse({0, transfer.header, transfer.bytes});
      library_->finalize(transfer, PTL_NI_OK);
      if (verdict.deposit != nullptr) library_->finalize(*verdict.deposit, PTL_NI_OK);
    }
    return moved;
  }

 private:
  Library* library_ = nullptr;
  NicTransfer* first_ = nullptr;
  NicTransfer* last_ = nullptr;
};

struct Lean : ::testing::Test {
  Lean() { process.offer(PTL_IFACE_DEFAULT, node, bridge, 1); }

  void open() {
    int interfaces;
    ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
    ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_OK);
  }
  ~Lean() override { PtlFini(); }

  MirrorNal nal;
  Node node{nal};
  DirectBridge bridge{{}, {1, 1, 0, 1000, 1000}, machine_clock()};
  Process process;
  Process::Current current{&process};
  ptl_handle_ni_t ni = 0;
};

TEST_F(Lean, OperationsAllocateNothing) {
  open();
  std::array<char, 64> source{}, target{};
  ptl_handle_eq_t eq;
  ptl_handle_me_t me;
  ptl_handle_md_t at_target, at_source;
  ptl_md_iovec_t list[] = {{source.data(), 30}, {source.data() + 32, 32}};
  ASSERT_EQ(PtlEQAlloc(ni, 64, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  ASSERT_EQ(PtlMEAttach(ni, 0, {PTL_NID_ANY, PTL_PID_ANY}, 1, 0, PTL_RETAIN, PTL_INS_AFTER, &me), PTL_OK);
  const unsigned options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE;
  ASSERT_EQ(PtlMDAttach(me, {target.data(), 64, PTL_MD_THRESH_INF, 0, options, nullptr, eq}, PTL_RETAIN,
                        &at_target),
            PTL_OK);
  ASSERT_EQ(PtlMDBind(ni, {list, 2, PTL_MD_THRESH_INF, 0, PTL_MD_IOVEC, nullptr, eq}, PTL_RETAIN, &at_source),
            PTL_OK);
  const auto all_kinds = [&] {
    ptl_event_t event;
    EXPECT_EQ(PtlPut(at_source, PTL_ACK_REQ, {0, 1}, 0, 0, 1, 0, 0), PTL_OK);
    EXPECT_EQ(PtlGet(at_source, {0, 1}, 0, 0, 1, 0), PTL_OK);
    EXPECT_EQ(PtlGetPut(at_source, at_source, {0, 1}, 0, 0, 1, 0, 0), PTL_OK);
    unsigned events = 0;
    while (PtlEQGet(eq, &event) == PTL_OK) ++events;
    EXPECT_EQ(events, 5u + 4u + 6u);
  };
  // The pool of records grows to what is in flight at once, and its records' lists to what they carry.
  for (int i = 0; i < 10; ++i) all_kinds();
  const std::uint64_t before = allocations();
  for (int i = 0; i < 1000; ++i) all_kinds();
  EXPECT_EQ(allocations() - before, 0u);
}

TEST_F(Lean, AProcessCostsLittleBeforeItIsUsed) {
  // The figure that docs/portals.md gives: sixteen thousand of these are a hundredth of a simulation's
  // memory.
  const std::uint64_t before = allocated_bytes();
  auto another = std::make_unique<Process>();
  another->offer(PTL_IFACE_DEFAULT, node, bridge, 2);
  EXPECT_LT(allocated_bytes() - before, 1500u);
  Process::Current scope{another.get()};
  int interfaces;
  ptl_handle_ni_t other;
  ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &other), PTL_OK);
  EXPECT_LT(allocated_bytes() - before, 5000u);
  std::printf("a process with an open interface: %llu bytes\n",
              static_cast<unsigned long long>(allocated_bytes() - before));
  PtlFini();
}

}  // namespace
}  // namespace aqueduct::test
