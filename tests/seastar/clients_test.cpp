// Processes of all kinds on one node: they share its interface and its library, and do not get in each
// other's way.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "stage.hpp"

namespace aqueduct::portals3::seastar::test {
namespace {

constexpr std::array kAllKinds{BridgeKind::kQk, BridgeKind::kUk, BridgeKind::kK, BridgeKind::kAccelerated};
constexpr std::size_t kBytes = 5000;

std::vector<char> pattern(ptl_pid_t pid) { return std::vector<char>(kBytes, static_cast<char>('a' + pid)); }

TEST(SharedNode, GenericAcceleratedUserAndKernelClientsReceiveAtOnce) {
  Stage stage;
  const unsigned all = 2 * kAllKinds.size();
  std::vector<std::vector<char>> received(kAllKinds.size(), std::vector<char>(kBytes));
  for (ptl_pid_t pid = 0; pid < kAllKinds.size(); ++pid) {
    // The process with pid p of node 1 puts to that of node 0, and gets back what it has put.
    stage.start(0, {.bridge = kAllKinds[pid], .pid = pid}, [&, pid](ptl_handle_ni_t interface) {
      const Window window(interface, received[pid].data(), kBytes);
      stage.meet(all);
      EXPECT_EQ(wait_for(window.queue, PTL_EVENT_PUT_END).mlength, kBytes);
      wait_for(window.queue, PTL_EVENT_GET_END);
    });
    stage.start(1, {.bridge = kAllKinds[pid], .pid = pid}, [&, pid](ptl_handle_ni_t interface) {
      std::vector<char> sent = pattern(pid), back(kBytes);
      const Source source(interface, sent.data(), kBytes);
      const Source sink(interface, back.data(), kBytes);
      stage.meet(all);
      source.put({0, pid});
      EXPECT_EQ(wait_for(source.queue, PTL_EVENT_ACK).mlength, kBytes);
      sink.get({0, pid});
      EXPECT_EQ(wait_for(sink.queue, PTL_EVENT_REPLY_END).ni_fail_type,
                static_cast<ptl_ni_fail_t>(PTL_NI_OK));
      EXPECT_EQ(back, sent);
    });
  }
  stage.run();
  for (ptl_pid_t pid = 0; pid < kAllKinds.size(); ++pid) EXPECT_EQ(received[pid], pattern(pid));
  EXPECT_GT(stage.machine().nal(0).interrupts(), 0u);
}

TEST(SharedNode, AnAcceleratedProcessIsUndisturbedByItsInterruptedNeighbourOnlyAsFarAsTheyShareAProcessor) {
  // The accelerated pair alone, and beside a generic pair that keeps both hosts busy with interrupts.
  const auto round_trip = [](bool with_neighbour) {
    Stage stage;
    sim::Time took = 0;
    const unsigned all = with_neighbour ? 4 : 2;
    char memory[4][64] = {};
    stage.start(0, {.bridge = BridgeKind::kAccelerated, .pid = 1}, [&](ptl_handle_ni_t interface) {
      const Source source(interface, memory[0], 8);
      stage.meet(all);
      const sim::Time start = stage.simulation().engine().now();
      source.put({1, 1});
      wait_for(source.queue, PTL_EVENT_ACK);
      took = stage.simulation().engine().now() - start;
    });
    stage.start(1, {.bridge = BridgeKind::kAccelerated, .pid = 1}, [&](ptl_handle_ni_t interface) {
      const Window window(interface, memory[1], 64);
      stage.meet(all);
      wait_for(window.queue, PTL_EVENT_PUT_END);
    });
    if (with_neighbour) {
      stage.start(0, {.bridge = BridgeKind::kQk, .pid = 2}, [&](ptl_handle_ni_t interface) {
        const Source source(interface, memory[2], 8);
        stage.meet(all);
        source.put({1, 2});
        wait_for(source.queue, PTL_EVENT_ACK);
      });
      stage.start(1, {.bridge = BridgeKind::kQk, .pid = 2}, [&](ptl_handle_ni_t interface) {
        const Window window(interface, memory[3], 64);
        stage.meet(all);
        wait_for(window.queue, PTL_EVENT_PUT_END);
      });
    }
    stage.run();
    return took;
  };
  const sim::Time alone = round_trip(false);
  const sim::Time beside = round_trip(true);
  EXPECT_LT(alone, 3 * sim::kMicrosecond);
  // The neighbour's interrupts take the processor away while the event is already there.
  EXPECT_GT(beside, alone);
  EXPECT_LT(beside, alone + 12 * sim::kMicrosecond);
}

TEST(AcceleratedMode, HasRoomForAFewProcessesOnly) {
  Stage stage;
  std::vector<int> codes(3, -1);
  for (ptl_pid_t pid = 0; pid < 3; ++pid) {
    stage.start(0, {.bridge = BridgeKind::kAccelerated, .pid = pid}, [&, pid](ptl_handle_ni_t) {
      ptl_handle_ni_t interface;
      codes[pid] = PtlNIInit(CRAY_ACCEL, PTL_PID_ANY, nullptr, nullptr, &interface);
      // Generic mode is always there.
      EXPECT_EQ(PtlNIInit(CRAY_QK_NAL, PTL_PID_ANY, nullptr, nullptr, &interface), PTL_OK);
    });
  }
  stage.run();
  EXPECT_EQ(codes, (std::vector<int>{PTL_OK, PTL_OK, PTL_IFACE_INVALID}));
}

TEST(AcceleratedMode, TakesNoScatteredBuffers) {
  Stage stage;
  const auto bind_scattered = [](ptl_handle_ni_t interface) {
    char one[8], two[8];
    ptl_md_iovec_t pieces[] = {{one, sizeof one}, {two, sizeof two}};
    const ptl_md_t memory{.start = pieces,
                          .length = 2,
                          .threshold = PTL_MD_THRESH_INF,
                          .max_size = 0,
                          .options = PTL_MD_IOVEC,
                          .user_ptr = nullptr,
                          .eq_handle = PTL_EQ_NONE};
    ptl_handle_md_t descriptor;
    return PtlMDBind(interface, memory, PTL_RETAIN, &descriptor);
  };
  stage.start(0, {.bridge = BridgeKind::kAccelerated, .pid = 1},
              [&](ptl_handle_ni_t interface) { EXPECT_EQ(bind_scattered(interface), PTL_MD_ILLEGAL); });
  stage.start(0, {.bridge = BridgeKind::kQk, .pid = 2},
              [&](ptl_handle_ni_t interface) { EXPECT_EQ(bind_scattered(interface), PTL_OK); });
  stage.run();
}

TEST(Matching, CostsMoreTheLongerTheListIs) {
  const auto one_put = [](unsigned entries_before, BridgeKind bridge) {
    Stage stage;
    sim::Time start = 0, took = 0;
    char memory[64] = {};
    stage.start(0, {.bridge = bridge, .pid = 1}, [&](ptl_handle_ni_t interface) {
      const Source source(interface, memory, 8);
      stage.meet(2);
      start = stage.simulation().engine().now();
      source.put({1, 1}, PTL_NO_ACK_REQ);
    });
    stage.start(1, {.bridge = bridge, .pid = 1}, [&](ptl_handle_ni_t interface) {
      const ptl_process_id_t anybody{PTL_NID_ANY, PTL_PID_ANY};
      for (unsigned i = 0; i < entries_before; ++i) {
        ptl_handle_me_t entry;
        EXPECT_EQ(PtlMEAttach(interface, kPortal, anybody, kBits + 1, 0, PTL_RETAIN, PTL_INS_AFTER, &entry),
                  PTL_OK);
      }
      const Window window(interface, memory, 64);
      stage.meet(2);
      wait_for(window.queue, PTL_EVENT_PUT_END);
      took = stage.simulation().engine().now() - start;
    });
    stage.run();
    return took;
  };
  using sim::kNanosecond;
  EXPECT_EQ(one_put(50, BridgeKind::kQk) - one_put(0, BridgeKind::kQk), 50 * 20 * kNanosecond);
  EXPECT_EQ(one_put(50, BridgeKind::kAccelerated) - one_put(0, BridgeKind::kAccelerated),
            50 * 60 * kNanosecond);
}

TEST(TransmitSlots, MessagesBeyondThemWaitAndAllArrive) {
  constexpr unsigned kMessages = 400;
  std::vector<char> from(100'000), to(100'000);  // in use until the last message has left
  Stage stage;
  stage.start(0, {.bridge = BridgeKind::kAccelerated, .pid = 1}, [&](ptl_handle_ni_t interface) {
    const ptl_md_t quiet{.start = from.data(),
                         .length = from.size(),
                         .threshold = PTL_MD_THRESH_INF,
                         .max_size = 0,
                         .options = 0,
                         .user_ptr = nullptr,
                         .eq_handle = PTL_EQ_NONE};
    ptl_handle_md_t descriptor;
    ASSERT_EQ(PtlMDBind(interface, quiet, PTL_RETAIN, &descriptor), PTL_OK);
    stage.meet(2);
    for (unsigned i = 0; i < kMessages; ++i) {
      EXPECT_EQ(PtlPut(descriptor, PTL_NO_ACK_REQ, {1, 1}, kPortal, 0, kBits, 0, 0), PTL_OK);
    }
  });
  stage.start(1, {.bridge = BridgeKind::kAccelerated, .pid = 1}, [&](ptl_handle_ni_t interface) {
    const Window window(interface, to.data(), to.size(), 4 * kMessages);
    stage.meet(2);
    for (unsigned i = 0; i < kMessages; ++i) wait_for(window.queue, PTL_EVENT_PUT_END);
  });
  stage.run();
  EXPECT_GT(stage.machine().nal(0).overflows(), 0u);
  EXPECT_EQ(stage.simulation().traffic().messages, kMessages);
}

}  // namespace
}  // namespace aqueduct::portals3::seastar::test
