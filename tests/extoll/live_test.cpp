// EXTOLL between the processes of a job: messages arrive in order, a full mailbox pushes back, and
// puts, gets and locks need no help of their target.
#include <rma2.h>
#include <unistd.h>
#include <velo2.h>

#include <cstring>
#include <vector>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

/// The port of this process, open from the first test to the end, and a connection to everybody.
struct Side {
  Side() {
    EXPECT_EQ(velo2_open(&port), VELO2_RET_SUCCESS);
    EXPECT_EQ(velo2_get_nodeid(&port), job().rank);
    EXPECT_EQ(velo2_get_vpid(&port), 0);
    to.resize(job().size);
    for (gex_Rank_t peer = 0; peer < job().size; ++peer)
      EXPECT_EQ(velo2_connect(&port, &to[peer], static_cast<velo2_nodeid_t>(peer), 0), VELO2_RET_SUCCESS);
  }

  void send(gex_Rank_t peer, const void* message, unsigned length, std::uint8_t tag) {
    velo2_ret_t code;
    while ((code = velo2_send(&to[peer], message, length, tag, 1)) == VELO2_RET_TRY_AGAIN) {
      ++pushed_back;
      ASSERT_EQ(velo2_wait_send(&to[peer]), VELO2_RET_SUCCESS);
    }
    ASSERT_EQ(code, VELO2_RET_SUCCESS);
  }

  velo2_port_t port{};
  std::vector<velo2_connection_t> to;
  unsigned pushed_back = 0;
};

Side& side() {
  static Side* const made = new Side;
  return *made;
}

class ExtollLive : public Spmd {
 protected:
  void SetUp() override {
    side();
    Spmd::SetUp();
  }
};

TEST_F(ExtollLive, MessagesOfAllSizesArriveInOrder) {
  char sent[VELO2_MAX_MSG_SIZE], received[VELO2_MAX_MSG_SIZE];
  for (unsigned bytes = 0; bytes <= VELO2_MAX_MSG_SIZE; ++bytes) {
    std::memset(sent, static_cast<int>(bytes), sizeof sent);
    side().send(right(), sent, bytes, static_cast<std::uint8_t>(bytes));
  }
  for (unsigned bytes = 0; bytes <= VELO2_MAX_MSG_SIZE; ++bytes) {
    std::uint32_t length = 0, source = 0;
    std::uint8_t tag = 0;
    ASSERT_EQ(velo2_recv(&side().port, received, sizeof received, &length, &source, &tag, 1),
              VELO2_RET_SUCCESS);
    EXPECT_EQ(length, bytes);
    EXPECT_EQ(tag, static_cast<std::uint8_t>(bytes));
    EXPECT_EQ(VELO2_ADDR_NODE(source), left());
    std::memset(sent, static_cast<int>(bytes), sizeof sent);
    EXPECT_EQ(std::memcmp(sent, received, bytes), 0);
  }
}

TEST_F(ExtollLive, AFloodIsPushedBackAndAllOfItArrives) {
  constexpr std::uint32_t kMessages = 5000;
  if (job().rank != 0) {
    for (std::uint32_t i = 0; i < kMessages; ++i) side().send(0, &i, sizeof i, 0);
    // The mailbox of rank 0 has a thousand slots, and rank 0 slept.
    EXPECT_GT(side().pushed_back, 0u);
  } else {
    ::usleep(20'000);
    std::vector<std::uint32_t> expected(job().size);
    for (std::uint32_t i = 0; i < kMessages * (job().size - 1); ++i) {
      std::uint32_t number = 0, source = 0;
      ASSERT_EQ(velo2_recv(&side().port, &number, sizeof number, nullptr, &source, nullptr, VELO2_MTT_ANY),
                VELO2_RET_SUCCESS);
      EXPECT_EQ(number, expected[VELO2_ADDR_NODE(source)]++);
    }
  }
}

/// The RMA port of this process, a window, and the NLAs of everybody's windows, which VELO told.
struct RmaSide {
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  RmaSide() {
    EXPECT_EQ(rma2_open(&port), RMA2_SUCCESS);
    EXPECT_EQ(rma2_register(port, window.data(), kBytes, &window_region), RMA2_SUCCESS);
    EXPECT_EQ(rma2_register(port, local.data(), kBytes, &local_region), RMA2_SUCCESS);
    RMA2_NLA mine = 0;
    EXPECT_EQ(rma2_get_nla(window_region, 0, &mine), RMA2_SUCCESS);
    to.resize(job().size);
    nlas.resize(job().size);
    for (gex_Rank_t peer = 0; peer < job().size; ++peer) {
      EXPECT_EQ(rma2_connect(port, static_cast<RMA2_Nodeid>(peer), 0, RMA2_CONN_DEFAULT, &to[peer]),
                RMA2_SUCCESS);
      side().send(peer, &mine, sizeof mine, 0);
    }
    for (gex_Rank_t i = 0; i < job().size; ++i) {
      RMA2_NLA nla = 0;
      std::uint32_t source = 0;
      EXPECT_EQ(velo2_recv(&side().port, &nla, sizeof nla, nullptr, &source, nullptr, VELO2_MTT_ANY),
                VELO2_RET_SUCCESS);
      nlas[VELO2_ADDR_NODE(source)] = nla;
    }
  }

  RMA2_Notification wait() {
    RMA2_Notification* found = nullptr;
    RMA2_Notification copy{};
    EXPECT_EQ(rma2_noti_get_block(port, &found), RMA2_SUCCESS);
    copy = *found;
    EXPECT_EQ(rma2_noti_free(port, found), RMA2_SUCCESS);
    return copy;
  }

  RMA2_Port port{};
  std::vector<unsigned char> window = std::vector<unsigned char>(kBytes);
  std::vector<unsigned char> local = std::vector<unsigned char>(kBytes);
  RMA2_Region* window_region = nullptr;
  RMA2_Region* local_region = nullptr;
  std::vector<RMA2_Handle> to;
  std::vector<RMA2_NLA> nlas;
};

RmaSide& rma() {
  static RmaSide* const made = new RmaSide;
  return *made;
}

TEST_F(ExtollLive, PutsAndGetsOfAllSizesMoveTheirBytes) {
  rma();
  barrier();
  for (const std::uint32_t size : {1u, 8u, 1000u, 8192u, 300'000u}) {
    for (std::uint32_t i = 0; i < size; ++i)
      rma().local[i] = static_cast<unsigned char>(i * 7 + job().rank + size);
    ASSERT_EQ(rma2_post_put_bt(rma().port, rma().to[right()], rma().local_region, 0, size,
                               rma().nlas[right()], RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
              RMA2_SUCCESS);
    const RMA2_Notification put = rma().wait();
    EXPECT_EQ(rma2_noti_get_remote_nodeid(&put), left());
    std::size_t wrong = 0;
    for (std::uint32_t i = 0; i < size; ++i)
      wrong += rma().window[i] != static_cast<unsigned char>(i * 7 + left() + size);
    EXPECT_EQ(wrong, 0u) << size;
    barrier();
    // What the right neighbour holds is what we have put there.
    ASSERT_EQ(rma2_post_get_bt(rma().port, rma().to[right()], rma().local_region, 500'000, size,
                               rma().nlas[right()], RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
              RMA2_SUCCESS);
    const RMA2_Notification get = rma().wait();
    EXPECT_EQ(rma2_noti_get_cmd(&get), RMA2_GET_BT_RSP);
    EXPECT_EQ(std::memcmp(rma().local.data(), rma().local.data() + 500'000, size), 0) << size;
    barrier();
  }
}

TEST_F(ExtollLive, LocksOfAllRanksAddUp) {
  constexpr std::int32_t kTimes = 300, kMost = 0x7fffffff;
  rma();
  barrier();
  for (std::int32_t i = 0; i < kTimes; ++i) {
    ASSERT_EQ(rma2_post_lock(rma().port, rma().to[0], 0, 5, kMost, 1, RMA2_COMPLETER_NOTIFICATION,
                             RMA2_CMD_DEFAULT),
              RMA2_SUCCESS);
    rma().wait();
  }
  barrier();
  ASSERT_EQ(
      rma2_post_lock(rma().port, rma().to[0], 0, 5, kMost, 0, RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
      RMA2_SUCCESS);
  const RMA2_Notification lock = rma().wait();
  EXPECT_EQ(rma2_noti_get_lock_value(&lock), static_cast<std::uint32_t>(kTimes) * job().size);
}

}  // namespace
}  // namespace aqueduct::test
