// What VELO does: messages of all sizes in order, slots, credits, and commits.
#include "machine.hpp"

namespace aqueduct::test {
namespace {

class Velo : public ::testing::Test {
 protected:
  ExtollMachine machine{{.nodes = 2}};
  VeloSide zero{machine, 0}, one{machine, 1};
};

TEST_F(Velo, MessagesOfAllSizesArriveWithTagTypeAndSource) {
  for (std::size_t bytes = 0; bytes <= VELO2_MAX_MSG_SIZE; ++bytes) {
    const auto tag = static_cast<std::uint8_t>(bytes + 100), mtt = static_cast<std::uint8_t>(bytes % 4);
    ASSERT_EQ(zero.send(1, text_of(bytes), tag, mtt), VELO2_RET_SUCCESS);
    const Received received = one.probe();
    ASSERT_EQ(received.code, VELO2_RET_SUCCESS);
    EXPECT_EQ(received.text, text_of(bytes));
    EXPECT_EQ(received.tag, tag);
    EXPECT_EQ(received.mtt, mtt);
    EXPECT_EQ(received.source, VELO2_ADDR_PACK(0, 0));
  }
}

TEST_F(Velo, AMessageTakesAsManySlotsAsItNeeds) {
  for (const std::size_t bytes : {0u, 1u, 56u, 57u, 112u, 113u, 120u}) {
    const OnExtoll on{machine, 1};
    velo2_port_t port;
    ASSERT_EQ(velo2_open(&port), VELO2_RET_SUCCESS);
    const extoll::Mailbox* const mailbox = machine.process(1).mailbox(port);
    velo2_connection_t self;
    ASSERT_EQ(velo2_connect(&port, &self, 1, velo2_get_vpid(&port)), VELO2_RET_SUCCESS);
    const std::string text = text_of(bytes);
    ASSERT_EQ(velo2_send(&self, text.data(), static_cast<unsigned>(bytes), 1, 2), VELO2_RET_SUCCESS);
    machine.run();
    std::size_t used = 0;
    for (std::size_t i = 0; i < mailbox->slots(); ++i) {
      std::uint64_t status;
      std::memcpy(&status, mailbox->slot(i).data() + VELO2_SLOT_PAYLOAD, 8);
      used += status != 0;
    }
    EXPECT_EQ(used, bytes <= 56 ? 1u : bytes <= 112 ? 2u : 3u) << bytes;
    ASSERT_EQ(velo2_close(&port), VELO2_RET_SUCCESS);
  }
}

TEST_F(Velo, ASenderWithoutCreditIsToldToTryAgainAndNothingIsLost) {
  ExtollMachine small{{.nodes = 2}, {.message_bytes = 120, .mailbox_slots = 1, .send_credits = 4}};
  VeloSide from{small, 0}, to{small, 1};
  unsigned sent = 0;
  while (from.send(1, text_of(20, sent)) == VELO2_RET_SUCCESS) {
    ++sent;
    small.run();
    ASSERT_LT(sent, 100u);
  }
  EXPECT_EQ(from.send(1, "x"), VELO2_RET_TRY_AGAIN);
  EXPECT_GE(sent, 4u);
  for (unsigned i = 0; i < sent; ++i) {
    const Received received = to.probe();
    ASSERT_EQ(received.code, VELO2_RET_SUCCESS) << i;
    EXPECT_EQ(received.text, text_of(20, i));
  }
  EXPECT_EQ(to.probe().code, VELO2_RET_NO_MSG);
  EXPECT_EQ(from.send(1, "x"), VELO2_RET_SUCCESS) << "credits came back";
}

TEST_F(Velo, AForgottenCommitPushesTheSenderBackAndLosesNothing) {
  ExtollMachine small{{.nodes = 2}, {.message_bytes = 120, .mailbox_slots = 4, .send_credits = 4}};
  VeloSide from{small, 0}, to{small, 1};
  unsigned sent = 0, taken = 0;
  std::string text;
  for (unsigned round = 0; round < 50; ++round) {
    while (from.send(1, text_of(20, sent)) == VELO2_RET_SUCCESS) ++sent;
    while (to.take_without_commit(&text) == VELO2_RET_SUCCESS) EXPECT_EQ(text, text_of(20, taken++));
  }
  EXPECT_EQ(taken, 4u) << "as many as the mailbox has slots, and not one more";
  EXPECT_LT(sent, 50u);
  {
    const OnExtoll on{small, 1};
    EXPECT_TRUE(small.process(1).is_commit_forgotten(to.port));
  }
  while (taken < sent) {
    EXPECT_EQ(to.commit(), VELO2_RET_SUCCESS);
    ASSERT_EQ(to.take_without_commit(&text), VELO2_RET_SUCCESS);
    EXPECT_EQ(text, text_of(20, taken++));
  }
}

TEST_F(Velo, AMessageIsLongerThanAMailbox) {
  ExtollMachine small{{.nodes = 2}, {.message_bytes = 120, .mailbox_slots = 1, .send_credits = 2}};
  VeloSide from{small, 0}, to{small, 1};
  for (unsigned i = 0; i < 10; ++i) {
    ASSERT_EQ(from.send(1, text_of(120, i)), VELO2_RET_SUCCESS);
    const Received received = to.probe();
    ASSERT_EQ(received.code, VELO2_RET_SUCCESS);
    EXPECT_EQ(received.text, text_of(120, i));
  }
}

TEST_F(Velo, RecvWaitsForAMessageAndWaitSendForACredit) {
  ASSERT_EQ(zero.send(1, "hello", 5, 2), VELO2_RET_SUCCESS);
  const OnExtoll on{machine, 1};
  char buffer[8];
  std::uint32_t length = 0, source = 99;
  std::uint8_t tag = 0;
  ASSERT_EQ(velo2_recv(&one.port, buffer, sizeof buffer, &length, &source, &tag, 2), VELO2_RET_SUCCESS);
  EXPECT_EQ(std::string(buffer, length), "hello");
  EXPECT_EQ(tag, 5);
  EXPECT_EQ(source, VELO2_ADDR_PACK(0, 0));
  EXPECT_NE(machine.device(1).waited_for.find("a VELO message"), std::string::npos);
  EXPECT_EQ(velo2_wait_send(&one.to[0]), VELO2_RET_SUCCESS);
  ASSERT_EQ(zero.send(1, "again"), VELO2_RET_SUCCESS);
  const OnExtoll back{machine, 1};
  EXPECT_EQ(velo2_wait(&one.port), VELO2_RET_SUCCESS);
}

TEST_F(Velo, WaitSendReturnsWhenTheTargetHasTaken) {
  ExtollMachine small{{.nodes = 2}, {.message_bytes = 120, .mailbox_slots = 8, .send_credits = 2}};
  VeloSide from{small, 0};
  VeloSide to{small, 1};
  ASSERT_EQ(from.send(1, "a"), VELO2_RET_SUCCESS);
  ASSERT_EQ(from.send(1, "b"), VELO2_RET_SUCCESS);
  const OnExtoll on{small, 0};
  EXPECT_EQ(velo2_wait_send(&from.to[1]), VELO2_RET_SUCCESS);
  EXPECT_NE(small.device(0).waited_for.find("commit"), std::string::npos) << "a hang is explained";
  EXPECT_EQ(velo2_send(&from.to[1], "c", 1, 0, 0), VELO2_RET_SUCCESS);
}

TEST_F(Velo, AWaitBehindForgottenCommitsSaysSo) {
  ExtollMachine small{{.nodes = 1}, {.message_bytes = 120, .mailbox_slots = 1, .send_credits = 8}};
  VeloSide side{small, 0};
  std::string text;
  ASSERT_EQ(side.send(0, "a"), VELO2_RET_SUCCESS);
  ASSERT_EQ(side.take_without_commit(&text), VELO2_RET_SUCCESS);
  ASSERT_EQ(side.send(0, "b"), VELO2_RET_SUCCESS);
  small.run();
  const OnExtoll on{small, 0};
  // What the wait would be reported as, if nobody commits.
  EXPECT_TRUE(small.process(0).is_commit_forgotten(side.port));
  EXPECT_EQ(velo2_check(&side.port, nullptr, nullptr, nullptr, nullptr), VELO2_RET_NO_MSG);
  EXPECT_EQ(velo2_recv_commit(&side.port), VELO2_RET_SUCCESS);
  EXPECT_EQ(velo2_check(&side.port, nullptr, nullptr, nullptr, nullptr), VELO2_RET_SUCCESS);
}

TEST_F(Velo, PortsOfAProcessHaveMailboxesOfTheirOwn) {
  const OnExtoll on{machine, 1};
  velo2_port_t second;
  ASSERT_EQ(velo2_open(&second), VELO2_RET_SUCCESS);
  EXPECT_EQ(velo2_get_vpid(&one.port), 0);
  EXPECT_EQ(velo2_get_vpid(&second), 1);
  EXPECT_EQ(velo2_get_nodeid(&second), 1);
  velo2_connection_t to_second;
  ASSERT_EQ(velo2_connect(&one.port, &to_second, 1, 1), VELO2_RET_SUCCESS);
  ASSERT_EQ(velo2_send(&to_second, "x", 1, 0, 0), VELO2_RET_SUCCESS);
  machine.run();
  EXPECT_EQ(velo2_check(&one.port, nullptr, nullptr, nullptr, nullptr), VELO2_RET_NO_MSG);
  std::uint32_t source = 99;
  EXPECT_EQ(velo2_check(&second, &source, nullptr, nullptr, nullptr), VELO2_RET_SUCCESS);
  EXPECT_EQ(source, VELO2_ADDR_PACK(1, 0));
}

TEST_F(Velo, MessagesWaitForTheFirstPortOfAProcess) {
  ExtollMachine late{{.nodes = 2}};
  VeloSide from{late, 0};
  ASSERT_EQ(from.send(1, "early"), VELO2_RET_SUCCESS);
  late.run();
  VeloSide to{late, 1};
  EXPECT_EQ(to.probe().text, "early");
}

TEST_F(Velo, CreditsSurviveTheLivesOfPorts) {
  ExtollMachine small{{.nodes = 2}, {.message_bytes = 120, .mailbox_slots = 1, .send_credits = 3}};
  VeloSide from{small, 0};
  const OnExtoll on{small, 1};
  for (unsigned life = 0; life < 40; ++life) {
    velo2_port_t port;
    ASSERT_EQ(velo2_open(&port), VELO2_RET_SUCCESS);
    velo2_connection_t to;
    {
      const OnExtoll other{small, 0};
      ASSERT_EQ(velo2_connect(&from.port, &to, 1, velo2_vpid_t{small.process(1).velo_vpid(port)}),
                VELO2_RET_SUCCESS);
      for (unsigned i = 0; i < 3; ++i) {
        velo2_ret_t code = velo2_send(&to, "x", 1, 0, 0);
        if (code == VELO2_RET_INVALID_MBOX) code = velo2_send(&to, "x", 1, 0, 0);
        ASSERT_EQ(code, VELO2_RET_SUCCESS) << life << ' ' << i;
      }
    }
    small.run();
    ASSERT_EQ(velo2_close(&port), VELO2_RET_SUCCESS);
    small.run();
  }
}

// A port that is opened again has all its credits and no more: those of its earlier life are on their way, or
// owed at the target, and count for nothing.
TEST_F(Velo, CreditsOfAnEarlierLifeOfAPortDoNotCount) {
  constexpr unsigned kCredits = 4;
  for (unsigned i = 0; i < 15; ++i) {
    const unsigned sent = i % kCredits + 1, taken = std::min(sent, i / kCredits + 1);
    SCOPED_TRACE(testing::Message() << sent << " are sent, " << taken << " taken");
    ExtollMachine small{{.nodes = 2}, {.message_bytes = 120, .mailbox_slots = 1, .send_credits = kCredits}};
    VeloSide from{small, 0}, to{small, 1};
    for (unsigned k = 0; k < sent; ++k) ASSERT_EQ(from.send(1, "x"), VELO2_RET_SUCCESS);
    small.run();
    {
      // The credits that these return stay under way.
      const OnExtoll on{small, 1};
      char buffer[VELO2_MAX_MSG_SIZE];
      std::uint32_t length = 0, source = 0;
      std::uint8_t tag = 0, mtt = 0;
      for (unsigned k = 0; k < taken; ++k)
        ASSERT_EQ(velo2_probe_recv(&to.port, buffer, sizeof buffer, &length, &source, &tag, &mtt),
                  VELO2_RET_SUCCESS);
    }
    // Until a port has the name of the first.
    std::vector<VeloSide> lives{from};
    do {
      const OnExtoll on{small, 0};
      ASSERT_EQ(velo2_close(&lives.back().port), VELO2_RET_SUCCESS);
      lives.emplace_back(small, 0);
      ASSERT_LT(lives.size(), 1000u);
    } while (small.process(0).velo_vpid(lives.back().port) != 0);
    VeloSide& again = lives.back();
    for (unsigned k = 0; k < kCredits; ++k) ASSERT_EQ(again.send(1, "y"), VELO2_RET_SUCCESS);
    small.run();
    EXPECT_EQ(again.send(1, "z"), VELO2_RET_TRY_AGAIN);
  }
}

/// Random traffic of all with all over fabrics that do what they like.
TEST(VeloTraffic, ArrivesOnceAndInOrderWhateverTheFabricDoes) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    constexpr fabric::NodeId kNodes = 3;
    ExtollMachine machine{{.nodes = kNodes,
                           .seed = seed,
                           .inline_bytes = seed % 3 * 40,
                           .retry_percent = static_cast<unsigned>(seed % 4 * 20),
                           .in_order = false},
                          {.message_bytes = 120,
                           .mailbox_slots = 1 + static_cast<std::uint32_t>(seed % 5),
                           .send_credits = 1 + static_cast<std::uint32_t>(seed % 7)}};
    std::vector<std::unique_ptr<VeloSide>> sides;
    for (fabric::NodeId node = 0; node < kNodes; ++node)
      sides.push_back(std::make_unique<VeloSide>(machine, node));
    Random random{seed};
    unsigned sent[kNodes][kNodes] = {}, taken[kNodes][kNodes] = {};
    const auto length = [](unsigned number) { return number * 31 % (VELO2_MAX_MSG_SIZE + 1); };
    const auto take = [&](fabric::NodeId node) {
      const OnExtoll on{machine, node};
      char buffer[VELO2_MAX_MSG_SIZE];
      std::uint32_t bytes = 0, source = 0;
      const velo2_ret_t code =
          velo2_probe_recv(&sides[node]->port, buffer, sizeof buffer, &bytes, &source, nullptr, nullptr);
      if (code == VELO2_RET_NO_MSG) return false;
      EXPECT_EQ(code, VELO2_RET_SUCCESS);
      unsigned& number = taken[VELO2_ADDR_NODE(source)][node];
      EXPECT_EQ(std::string(buffer, bytes), text_of(length(number), number)) << "seed " << seed;
      ++number;
      return true;
    };
    for (unsigned i = 0; i < 400; ++i) {
      const auto node = static_cast<fabric::NodeId>(random() % kNodes);
      const auto peer = static_cast<fabric::NodeId>(random() % kNodes);
      unsigned& number = sent[node][peer];
      if (random() % 2 == 0) {
        const velo2_ret_t code = sides[node]->send(peer, text_of(length(number), number));
        ASSERT_TRUE(code == VELO2_RET_SUCCESS || code == VELO2_RET_TRY_AGAIN);
        if (code == VELO2_RET_SUCCESS) ++number;
      } else {
        take(node);
      }
      machine.fabric().step();
    }
    for (bool moved = true; moved;) {
      machine.run();
      moved = false;
      for (fabric::NodeId node = 0; node < kNodes; ++node) moved |= take(node);
    }
    for (fabric::NodeId from = 0; from < kNodes; ++from) {
      for (fabric::NodeId to = 0; to < kNodes; ++to) EXPECT_EQ(taken[from][to], sent[from][to]) << seed;
    }
  }
}

}  // namespace
}  // namespace aqueduct::test
