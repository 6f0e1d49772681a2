// What the Aries model must show, whatever its numbers are.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "stage.hpp"

namespace aqueduct::ugni::aries::test {
namespace {

/// When process 0 has each of these, after it has posted an RDMA put of so many bytes.
struct Moments {
  sim::Time local, global, remote;
};

Moments moments_of(std::size_t bytes) {
  Stage stage;
  Moments moments{};
  stage.start(0, [&](Party& party) {
    gni_post_descriptor_t put =
        party.post(GNI_POST_RDMA_PUT, 1, bytes, GNI_CQMODE_DUAL_EVENTS | GNI_CQMODE_REMOTE_EVENT);
    party.start(put, 1);
    party.wait_completed();
    moments.local = stage.now();
    party.wait_completed();
    moments.global = stage.now();
  });
  stage.start(1, [&](Party& party) {
    party.wait(party.target);
    moments.remote = stage.now();
  });
  stage.run();
  return moments;
}

TEST(Aries, TheLocalEventOfAPutComesLongBeforeTheGlobalOne) {
  const Moments moments = moments_of(8192);
  EXPECT_LT(moments.local, moments.global);
  EXPECT_LT(moments.remote, moments.global);
}

/// How many of a hundred puts of different sizes arrived after one that was posted later.
unsigned overtaken(std::uint16_t delivery, std::uint64_t seed) {
  constexpr std::uint32_t kPuts = 100;
  Stage stage({.faults = "reorder=200000 delay=200000", .seed = seed});
  std::vector<std::uint32_t> order;
  stage.start(0, [&](Party& party) {
    std::vector<gni_post_descriptor_t> puts;
    for (std::uint32_t i = 0; i < kPuts; ++i) {
      const bool large = i % 3 == 0;
      puts.push_back(party.post(large ? GNI_POST_RDMA_PUT : GNI_POST_FMA_PUT, 1, large ? 4096 : 64,
                                GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT));
      puts.back().dlvr_mode = delivery;
    }
    for (std::uint32_t i = 0; i < kPuts; ++i) {
      ASSERT_EQ(GNI_EpSetEventData(party.to[1], 0, i), GNI_RC_SUCCESS);
      party.start(puts[i], 1);
    }
    for (std::uint32_t i = 0; i < kPuts; ++i) party.wait_completed();
  });
  stage.start(1, [&](Party& party) {
    for (std::uint32_t i = 0; i < kPuts; ++i)
      order.push_back(static_cast<std::uint32_t>(GNI_CQ_GET_REM_INST_ID(party.wait(party.target))));
  });
  stage.run();
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), kPuts);
  unsigned overtaken = 0;
  for (std::uint32_t i = 1; i < order.size(); ++i) overtaken += order[i] < order[i - 1];
  return overtaken;
}

TEST(Aries, AdaptiveDeliveryReordersPostsAndInOrderDeliveryDoesNot) {
  unsigned adaptive = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    adaptive += overtaken(GNI_DLVMODE_PERFORMANCE, seed);
    EXPECT_EQ(overtaken(GNI_DLVMODE_IN_ORDER, seed), 0u);
  }
  EXPECT_GT(adaptive, 50u);
}

/// How long it takes to move 1 MiB eight times, to a node of another group, nanoseconds.
sim::Time stream(std::uint16_t delivery) {
  constexpr std::uint32_t kPuts = 8;
  Stage stage({.nodes = {0, 400}, .changes = {"injection.bandwidth=40GB/s", "ejection.bandwidth=40GB/s"}});
  sim::Time begin = 0, end = 0;
  stage.start(0, [&](Party& party) {
    std::vector<gni_post_descriptor_t> puts(kPuts, party.post(GNI_POST_RDMA_PUT, 1, Party::kWindowBytes));
    begin = stage.now();
    for (gni_post_descriptor_t& put : puts) {
      put.dlvr_mode = delivery;
      party.start(put, 1);
    }
    for (std::uint32_t i = 0; i < kPuts; ++i) party.wait_completed();
    end = stage.now();
  });
  stage.start(1, [](Party&) {});
  stage.run();
  return end - begin;
}

TEST(Aries, DeliveryInOrderUsesOneRouteAndSoLessBandwidth) {
  EXPECT_GT(stream(GNI_DLVMODE_IN_ORDER), stream(GNI_DLVMODE_PERFORMANCE) * 3 / 2);
}

/// How long three large transfers and a small one behind them take until the small one's event.
sim::Time behind_large_ones(std::uint32_t channels, std::uint32_t large) {
  Stage stage({.changes = {"nic.bte_channels=" + std::to_string(channels)}});
  sim::Time waited = 0;
  stage.start(0, [&](Party& party) {
    std::vector<gni_post_descriptor_t> puts(large, party.post(GNI_POST_RDMA_PUT, 1, Party::kWindowBytes));
    gni_post_descriptor_t small = party.post(GNI_POST_RDMA_PUT, 1, 64, GNI_CQMODE_LOCAL_EVENT);
    const sim::Time begin = stage.now();
    for (gni_post_descriptor_t& put : puts) party.start(put, 1);
    party.start(small, 1);
    for (;;) {
      if (party.wait_completed() == &small) waited = stage.now() - begin;
      if (waited != 0) break;
    }
    while (GNI_EpIdle(party.to[1]) != GNI_RC_SUCCESS) party.wait_completed();
  });
  stage.start(1, [](Party&) {});
  stage.run();
  return waited;
}

TEST(Aries, ATransferWaitsForAChannelOfTheBte) {
  EXPECT_GE(behind_large_ones(1, 2), behind_large_ones(3, 2));
}

TEST(Aries, ManyProcessesMeetByDatagrams) {
  Stage stage({.nodes = {0, 1, 4, 5}});
  for (NodeId port = 0; port < 4; ++port) {
    stage.start(port, [](Party& party) {
      std::vector<std::uint32_t> heard(party.all.size());
      for (NodeId peer = 0; peer < party.all.size(); ++peer) {
        std::uint32_t mine = party.self * 10 + peer;
        ASSERT_EQ(GNI_EpPostData(party.to[peer], &mine, sizeof mine, &heard[peer], sizeof mine),
                  GNI_RC_SUCCESS);
      }
      for (NodeId peer = 0; peer < party.all.size(); ++peer) {
        gni_post_state_t state;
        std::uint32_t address, id;
        ASSERT_EQ(GNI_EpPostDataWait(party.to[peer], ~0u, &state, &address, &id), GNI_RC_SUCCESS);
        EXPECT_EQ(state, GNI_POST_COMPLETED);
        EXPECT_EQ(heard[peer], peer * 10 + party.self);
      }
    });
  }
  stage.run();
}

TEST(Aries, PostsToACrashedNodeFail) {
  Stage stage({.faults = "crash=4:200us"});
  gni_return_t code = GNI_RC_SUCCESS;
  std::string text;
  stage.start(0, [&](Party& party) {
    for (;;) {
      gni_post_descriptor_t put = party.post(GNI_POST_FMA_PUT, 1);
      party.start(put, 1);
      gni_cq_entry_t entry = 0;
      code = GNI_CqWaitEvent(party.source, ~std::uint64_t{0}, &entry);
      gni_post_descriptor_t* found = nullptr;
      GNI_GetCompleted(party.source, entry, &found);
      EXPECT_EQ(found, &put);
      if (code == GNI_RC_SUCCESS) continue;
      char buffer[100];
      EXPECT_EQ(GNI_CqErrorStr(entry, buffer, sizeof buffer), GNI_RC_SUCCESS);
      text = buffer;
      return;
    }
  });
  stage.start(1, [](Party& party) { party.wait(party.target); });
  stage.simulation().run();
  EXPECT_EQ(code, GNI_RC_TRANSACTION_ERROR);
  EXPECT_EQ(text, "the peer is lost");
}

}  // namespace
}  // namespace aqueduct::ugni::aries::test
