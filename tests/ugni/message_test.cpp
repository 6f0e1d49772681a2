// Short messages and shared message queues: order, credits, tags, and what events say.
#include <cstring>
#include <string>

#include "machine.hpp"

namespace aqueduct::test {
namespace {

constexpr std::uint16_t kCredits = 4;
constexpr std::uint32_t kMostBytes = 100;

/// Two sides with a mailbox each, on any fabric.
struct Mailboxes {
  explicit Mailboxes(UnrulyFabric::Options options) : machine(options) {
    attributes[0] = attributes_of(zero);
    attributes[1] = attributes_of(one);
    const On first{machine, 0};
    EXPECT_EQ(GNI_SmsgInit(zero.to[1], &attributes[0], &attributes[1]), GNI_RC_SUCCESS);
    const On second{machine, 1};
    EXPECT_EQ(GNI_SmsgInit(one.to[0], &attributes[1], &attributes[0]), GNI_RC_SUCCESS);
  }

  static gni_smsg_attr_t attributes_of(Side& side) {
    gni_smsg_attr_t made{};
    made.msg_type = GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT;
    made.msg_buffer = side.window.data();
    made.buff_size = static_cast<std::uint32_t>(side.window.size() * 8);
    made.mem_hndl = side.window_memory;
    made.mbox_offset = 256;
    made.mbox_maxcredit = kCredits;
    made.msg_maxsize = kMostBytes;
    return made;
  }

  gni_return_t send(const std::string& text, std::uint32_t id = 0, std::uint8_t tag = 0) {
    const On on{machine, 0};
    char header[4] = {static_cast<char>(text.size()), 0, 0, 0};
    return GNI_SmsgSendWTag(zero.to[1], header, sizeof header, const_cast<char*>(text.data()),
                            static_cast<std::uint32_t>(text.size()), id, tag);
  }
  /// Empty: there is none.
  std::string receive() {
    const On on{machine, 1};
    void* place = nullptr;
    const gni_return_t code = GNI_SmsgGetNext(one.to[0], &place);
    if (code != GNI_RC_SUCCESS) return "";
    const char* const bytes = static_cast<const char*>(place);
    std::string text(bytes + 4, static_cast<std::size_t>(bytes[0]));
    EXPECT_EQ(GNI_SmsgRelease(one.to[0]), GNI_RC_SUCCESS);
    return text;
  }

  Machine machine;
  Side zero{machine, 0}, one{machine, 1};
  gni_smsg_attr_t attributes[2];
};

class UgniSmsg : public ::testing::Test, public Mailboxes {
 protected:
  UgniSmsg() : Mailboxes({.nodes = 2}) {}
};

TEST_F(UgniSmsg, AMessageArrivesWithEventsAtBothSides) {
  ASSERT_EQ(send("hello", 0xabcdef12), GNI_RC_SUCCESS);
  const gni_cq_entry_t arrived = one.event(one.target);
  EXPECT_EQ(GNI_CQ_GET_TYPE(arrived), GNI_CQ_EVENT_TYPE_SMSG);
  EXPECT_EQ(GNI_CQ_GET_REM_INST_ID(arrived), kFirstInstance);
  EXPECT_EQ(receive(), "hello");
  EXPECT_EQ(receive(), "");
  const gni_cq_entry_t sent = zero.event(zero.source);
  EXPECT_EQ(GNI_CQ_GET_TYPE(sent), GNI_CQ_EVENT_TYPE_SMSG);
  EXPECT_EQ(GNI_CQ_GET_MSG_ID(sent), 0xabcdef12u);
  machine.run();
  const On on{machine, 0};
  EXPECT_EQ(GNI_EpIdle(zero.to[1]), GNI_RC_SUCCESS);
}

TEST_F(UgniSmsg, CreditsRunOutAndComeBack) {
  for (int i = 0; i < kCredits; ++i) ASSERT_EQ(send("message"), GNI_RC_SUCCESS);
  EXPECT_EQ(send("one too many"), GNI_RC_NOT_DONE);
  machine.run();
  EXPECT_EQ(send("one too many"), GNI_RC_NOT_DONE);  // arrived is not released
  EXPECT_EQ(receive(), "message");
  machine.run();
  EXPECT_EQ(send("now"), GNI_RC_SUCCESS);
  EXPECT_EQ(send("not yet"), GNI_RC_NOT_DONE);
}

TEST_F(UgniSmsg, TagsAreMatchedInOrder) {
  ASSERT_EQ(send("first", 0, 3), GNI_RC_SUCCESS);
  machine.run();
  const On on{machine, 1};
  void* place;
  std::uint8_t tag = 4;
  EXPECT_EQ(GNI_SmsgGetNextWTag(one.to[0], &place, &tag), GNI_RC_NO_MATCH);
  tag = GNI_SMSG_ANY_TAG;
  EXPECT_EQ(GNI_SmsgGetNextWTag(one.to[0], &place, &tag), GNI_RC_SUCCESS);
  EXPECT_EQ(tag, 3);
  EXPECT_EQ(GNI_SmsgGetNextWTag(one.to[0], &place, &tag), GNI_RC_INVALID_STATE);
  EXPECT_EQ(GNI_SmsgRelease(one.to[0]), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_SmsgRelease(one.to[0]), GNI_RC_INVALID_STATE);
  EXPECT_EQ(send("x", 0, GNI_SMSG_ANY_TAG), GNI_RC_INVALID_PARAM);
}

TEST_F(UgniSmsg, AreHeldToTheirRules) {
  EXPECT_EQ(send(std::string(kMostBytes - 4, 'x')), GNI_RC_SUCCESS);
  EXPECT_EQ(send(std::string(kMostBytes - 3, 'x')), GNI_RC_ERROR_RESOURCE);
  const On on{machine, 0};
  unsigned size = 0;
  EXPECT_EQ(GNI_SmsgBufferSizeNeeded(&attributes[0], &size), GNI_RC_SUCCESS);
  EXPECT_EQ(size, 64u + kCredits * (8u + 104u));
  const auto refused = [&](const auto& change) {
    gni_smsg_attr_t local = attributes[0], remote = attributes[1];
    change(local, remote);
    return GNI_SmsgInit(zero.to[1], &local, &remote);
  };
  EXPECT_EQ(refused([](auto& local, auto&) { local.msg_type = GNI_SMSG_TYPE_INVALID; }),
            GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto& local, auto&) { local.mbox_maxcredit = 0; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto&, auto& remote) { remote.mbox_maxcredit = 2; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto&, auto& remote) { remote.msg_maxsize = 50; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto& local, auto& remote) { local.msg_maxsize = remote.msg_maxsize = 70'000; }),
            GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto& local, auto&) { local.mbox_offset = 8000; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto& local, auto&) { local.mbox_offset = 3; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto& local, auto&) { local.mem_hndl = {}; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_SmsgSetDeliveryMode(zero.nic, GNI_DLVMODE_IN_ORDER), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_SmsgSetMaxRetrans(zero.nic, 3), GNI_RC_SUCCESS);
}

TEST(UgniSmsgOrder, HoldsWhereEventsAndMessagesOvertakeEachOther) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Mailboxes boxes{{.nodes = 2, .seed = seed, .retry_percent = 20, .in_order = false}};
    unsigned sent = 0, received = 0;
    for (unsigned steps = 0; received < 40; ++steps) {
      ASSERT_LT(steps, 100'000u) << "a message or credit is lost";
      if (sent < 40 && boxes.send("message " + std::to_string(sent)) == GNI_RC_SUCCESS) ++sent;
      const std::string text = boxes.receive();
      if (!text.empty()) {
        EXPECT_EQ(text, "message " + std::to_string(received++));
      }
      gni_cq_entry_t entry;
      for (const Side* side : {&boxes.zero, &boxes.one}) {
        const On on{boxes.machine, side->node};
        while (GNI_CqGetEvent(side->source, &entry) == GNI_RC_SUCCESS) {
        }
        while (GNI_CqGetEvent(side->target, &entry) == GNI_RC_SUCCESS) {
        }
      }
      boxes.machine.fabric().step();
    }
  }
}

/// Two sides with connected queues.
class UgniMsgq : public UgniTest {
 protected:
  struct Seen {
    std::uint32_t id, address;
    std::string text;
    std::uint8_t tag;
  };
  static int on_message(std::uint32_t id, std::uint32_t address, void* message, std::uint8_t tag,
                        void* data) {
    auto* const self = static_cast<UgniMsgq*>(data);
    self->seen.push_back({id, address, static_cast<const char*>(message), tag});
    self->code_inside = GNI_MsgqProgress(self->queues[1], 0);
    return self->wants_more;
  }
  UgniMsgq() {
    gni_msgq_ep_attr_t cards[2];
    for (Side* side : {&zero, &one}) {
      const On on{machine, side->node};
      EXPECT_EQ(GNI_MsgqInit(side->nic, on_message, this, side->source, &attributes, &queues[side->node]),
                GNI_RC_SUCCESS);
      EXPECT_EQ(GNI_MsgqInit(side->nic, on_message, this, side->source, &attributes, &another),
                GNI_RC_ERROR_RESOURCE);
      std::uint32_t size = 0;
      EXPECT_EQ(GNI_MsgqGetConnAttrs(queues[side->node], 1 - side->node, &cards[side->node], &size),
                GNI_RC_SUCCESS);
      EXPECT_EQ(size, sizeof(gni_msgq_ep_attr_t));
    }
    for (Side* side : {&zero, &one}) {
      const On on{machine, side->node};
      const std::uint32_t peer = 1 - side->node;
      EXPECT_EQ(GNI_MsgqConnect(queues[side->node], peer, &cards[peer]), GNI_RC_SUCCESS);
      EXPECT_EQ(GNI_MsgqConnect(queues[side->node], peer, &cards[peer]), GNI_RC_INVALID_PARAM);
    }
  }
  gni_return_t send(const std::string& text, std::uint32_t id = 0, std::uint8_t tag = 0) {
    const On on{machine, 0};
    return GNI_MsgqSend(queues[0], zero.to[1], nullptr, 0, const_cast<char*>(text.c_str()),
                        static_cast<std::uint32_t>(text.size() + 1), id, tag);
  }
  gni_return_t progress() {
    const On on{machine, 1};
    return GNI_MsgqProgress(queues[1], 0);
  }

  gni_msgq_attr_t attributes{.max_msg_sz = 64,
                             .smsg_q_sz = 3,
                             .rcv_pool_sz = 0,
                             .num_msgq_eps = 1,
                             .nloc_insts = 1,
                             .modes = 0,
                             .rcv_cq_sz = 16};
  gni_msgq_handle_t queues[2]{}, another{};
  std::vector<Seen> seen;
  gni_return_t code_inside = GNI_RC_SUCCESS;
  int wants_more = 1;
};

TEST_F(UgniMsgq, MessagesReachTheCallback) {
  EXPECT_EQ(progress(), GNI_RC_NOT_DONE);
  ASSERT_EQ(send("one", 11, 1), GNI_RC_SUCCESS);
  ASSERT_EQ(send("two", 12, 2), GNI_RC_SUCCESS);
  machine.run();
  EXPECT_EQ(progress(), GNI_RC_SUCCESS);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].text, "one");
  EXPECT_EQ(seen[1].text, "two");
  EXPECT_EQ(seen[1].tag, 2);
  EXPECT_EQ(seen[1].id, kFirstInstance);
  EXPECT_EQ(seen[1].address, 0u);
  EXPECT_EQ(code_inside, GNI_RC_INVALID_STATE);
  const gni_cq_entry_t entry = zero.event(zero.source);
  EXPECT_EQ(GNI_CQ_GET_TYPE(entry), GNI_CQ_EVENT_TYPE_MSGQ);
  EXPECT_EQ(GNI_CQ_GET_MSG_ID(entry), 11u);
}

TEST_F(UgniMsgq, ACallbackThatHasEnoughIsNotCalledAgain) {
  wants_more = 0;
  ASSERT_EQ(send("one"), GNI_RC_SUCCESS);
  ASSERT_EQ(send("two"), GNI_RC_SUCCESS);
  machine.run();
  EXPECT_EQ(progress(), GNI_RC_SUCCESS);
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_EQ(progress(), GNI_RC_SUCCESS);
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(UgniMsgq, CreditsRunOutAndComeBackWithTheCallback) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(send("message"), GNI_RC_SUCCESS);
  EXPECT_EQ(send("too many"), GNI_RC_NOT_DONE);
  machine.run();
  EXPECT_EQ(send("too many"), GNI_RC_NOT_DONE);
  EXPECT_EQ(progress(), GNI_RC_SUCCESS);
  machine.run();
  EXPECT_EQ(send("now"), GNI_RC_SUCCESS);
}

TEST_F(UgniMsgq, AreHeldToTheirRules) {
  EXPECT_EQ(send(std::string(64, 'x')), GNI_RC_SIZE_ERROR);
  ASSERT_EQ(send("message"), GNI_RC_SUCCESS);
  {
    const On on{machine, 0};
    EXPECT_EQ(GNI_MsgqIdle(queues[0]), GNI_RC_NOT_DONE);
    EXPECT_EQ(GNI_MsgqRelease(queues[0]), GNI_RC_NOT_DONE);
    EXPECT_EQ(GNI_MsgqConnRelease(queues[0], 1), GNI_RC_NOT_DONE);
    EXPECT_EQ(GNI_MsgqConnRelease(queues[0], 0), GNI_RC_NO_MATCH);
    EXPECT_EQ(GNI_MsgqIdle(nullptr), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_MsgqProgress(queues[1], 0), GNI_RC_INVALID_PARAM);  // of another process
  }
  machine.run();
  EXPECT_EQ(progress(), GNI_RC_SUCCESS);
  machine.run();
  const On on{machine, 0};
  EXPECT_EQ(GNI_MsgqIdle(queues[0]), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_MsgqConnRelease(queues[0], 1), GNI_RC_SUCCESS);
  EXPECT_EQ(send("nowhere"), GNI_RC_NO_MATCH);
  EXPECT_EQ(GNI_MsgqRelease(queues[0]), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_MsgqRelease(queues[0]), GNI_RC_INVALID_PARAM);
  std::uint32_t size = 0;
  EXPECT_EQ(GNI_MsgqSize(&attributes, &size), GNI_RC_SUCCESS);
  EXPECT_EQ(size, 3u * 64u);
}

}  // namespace
}  // namespace aqueduct::test
