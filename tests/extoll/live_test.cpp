// EXTOLL between the processes of a job: messages arrive in order, and a full mailbox pushes back.
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

}  // namespace
}  // namespace aqueduct::test
