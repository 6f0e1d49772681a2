// What a process learns when messages do not arrive, and what it does not have to believe.
#include <string>

#include "papers/nic/portals3/wire_header.hpp"
#include "portals3/side.hpp"

namespace aqueduct::test {
namespace {

using portals3::MessageKind;
using portals3::WireHeader;

constexpr ptl_ni_fail_t kFail = PTL_NI_FAIL;
constexpr ptl_ni_fail_t kUndeliverable = PTL_NI_UNDELIVERABLE;
constexpr ptl_ni_fail_t kIncomplete = PTL_NI_INCOMPLETE;

TEST_F(Portals3, FailuresCanBeProvoked) {
  std::string word = "word", target = "....";
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE));
  const auto sends = here.queue(), replies = here.queue();
  const auto md = here.bind(memory(word, PTL_MD_EVENT_START_DISABLE, sends));
  const auto back = here.bind(memory(word, 0, replies, 1), PTL_UNLINK);
  {
    On on{machine, 0};
    ASSERT_EQ(PtlFailNid(here.ni, there.id.nid, 2), PTL_OK);
  }
  EXPECT_EQ(here.put(md, there, 1, PTL_ACK_REQ), PTL_OK);
  EXPECT_EQ(here.get(back, there, 1), PTL_OK);
  EXPECT_EQ(here.put(md, there, 1), PTL_OK);
  machine.run();
  const auto sent = here.events(sends);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].type, PTL_EVENT_SEND_END);
  EXPECT_EQ(sent[0].ni_fail_type, kFail);
  EXPECT_EQ(sent[1].ni_fail_type, 0u);
  const auto replied = here.events(replies);
  ASSERT_EQ(replied.size(), 3u);
  EXPECT_EQ(replied[0].type, PTL_EVENT_REPLY_START);
  EXPECT_EQ(replied[1].type, PTL_EVENT_REPLY_END);
  EXPECT_EQ(replied[1].ni_fail_type, kFail);
  EXPECT_EQ(replied[1].mlength, 0u);
  EXPECT_EQ(replied[2].type, PTL_EVENT_UNLINK);
  EXPECT_EQ(target, "word");
  EXPECT_EQ(here.status(PTL_SR_FAIL_COUNT), 2u);
}

TEST_F(Portals3, ProvokedFailuresWorkForWhatArrivesToo) {
  std::string word = "word", target = "....";
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT));
  {
    On on{machine, 1};
    ASSERT_EQ(PtlFailNid(there.ni, PTL_NID_ANY, ~0u), PTL_OK);
  }
  const auto md = here.bind(memory(word, 0));
  EXPECT_EQ(here.put(md, there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(target, "....");
  EXPECT_EQ(there.status(), 1u);
  {
    On on{machine, 1};
    ASSERT_EQ(PtlFailNid(there.ni, PTL_NID_ANY, 0), PTL_OK);
  }
  EXPECT_EQ(here.put(md, there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(target, "word");
}

TEST_F(Portals3, ADeadPeerFailsWhatWaitsForIt) {
  std::string word = "word", target = "....";
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_OP_GET));
  const auto eq = here.queue(), getput = here.queue();
  const auto md = here.bind(memory(word, PTL_MD_EVENT_START_DISABLE, eq));
  const auto swap = here.bind(memory(word, 0, getput));
  machine.fabric().crash(1);
  EXPECT_EQ(here.put(md, there, 1, PTL_ACK_REQ, 0, 17), PTL_OK);
  EXPECT_EQ(here.put(md, there, 1, PTL_NO_ACK_REQ), PTL_OK);
  EXPECT_EQ(here.get(md, there, 1), PTL_OK);
  {
    On on{machine, 0};
    EXPECT_EQ(PtlGetPut(swap, md, there.id, kPortal, 0, 1, 0, 0), PTL_OK);
  }
  machine.run();
  unsigned acks = 0, replies = 0, sends = 0;
  for (const ptl_event_t& event : here.events(eq)) {
    acks += event.type == PTL_EVENT_ACK && event.ni_fail_type == kUndeliverable && event.hdr_data == 17;
    replies += event.type == PTL_EVENT_REPLY_END && event.ni_fail_type == kUndeliverable;
    sends += event.type == PTL_EVENT_SEND_END;
  }
  EXPECT_EQ(acks, 1u);
  EXPECT_EQ(replies, 1u);
  EXPECT_EQ(sends, 3u);
  const auto swapped = here.events(getput);
  ASSERT_EQ(swapped.size(), 2u);
  EXPECT_EQ(swapped[1].ni_fail_type, kUndeliverable);
  EXPECT_EQ(here.status(PTL_SR_UNDELIVERABLE_COUNT), 4u);
  EXPECT_EQ(here.status(PTL_SR_FAIL_COUNT), 4u);
}

TEST_F(Portals3, APeerThatDiesBeforeItAnswersFailsWhatWaitsForIt) {
  std::string word = "word", target = "....";
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE));
  const auto eq = here.queue();
  const auto md = here.bind(memory(word, PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE, eq));
  const auto back = here.bind(memory(word, PTL_MD_EVENT_START_DISABLE, eq, 1), PTL_UNLINK);
  EXPECT_EQ(here.put(md, there, 1, PTL_ACK_REQ), PTL_OK);
  machine.run();
  EXPECT_EQ(here.kinds(eq), (Kinds{PTL_EVENT_ACK}));  // this one is answered
  EXPECT_EQ(here.put(md, there, 2, PTL_NO_ACK_REQ), PTL_OK);
  EXPECT_EQ(here.get(back, there, 2), PTL_OK);  // these are not: nothing matches
  machine.run();
  EXPECT_TRUE(here.kinds(eq).empty());
  machine.node(0).lost(there.id.nid);
  const auto events = here.events(eq);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, PTL_EVENT_REPLY_END);
  EXPECT_EQ(events[0].ni_fail_type, kUndeliverable);
  EXPECT_EQ(events[0].initiator.nid, there.id.nid);
  EXPECT_EQ(events[1].type, PTL_EVENT_UNLINK);
  EXPECT_EQ(here.status(PTL_SR_PEER_LOST_COUNT), 1u);
  machine.node(0).lost(there.id.nid);  // once more changes nothing
  EXPECT_TRUE(here.kinds(eq).empty());
}

TEST_F(Portals3, AMessageThatBreaksOffEndsInAFailedEvent) {
  std::string word = "word", target = "....";
  const auto eq = there.queue();
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT, eq, 1), PTL_UNLINK);
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1, PTL_ACK_REQ), PTL_OK);
  ASSERT_TRUE(machine.fabric().step());  // the header arrives
  machine.fabric().crash(0);
  machine.run();
  const auto events = there.events(eq);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].type, PTL_EVENT_PUT_END);
  EXPECT_EQ(events[1].ni_fail_type, kIncomplete);
  EXPECT_EQ(events[2].type, PTL_EVENT_UNLINK);
  EXPECT_EQ(target, "....");
  // The dead one cannot be told that its message is out: it would wait for it.
  machine.fabric().revive(0);
}

WireHeader genuine(const Side& from, const Side& to, MessageKind kind, std::uint64_t bytes) {
  WireHeader header;
  header.kind = kind;
  header.source = from.id;
  header.target = to.id;
  header.uid = 7;
  header.pt_index = kPortal;
  header.match_bits = 1;
  header.requested = bytes;
  header.seal();
  return header;
}

TEST_F(Portals3, MalformedHeadersAreCountedAndDropped) {
  std::string target = "....";
  const auto eq = there.queue();
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, eq));
  auto& fabric = machine.fabric();
  std::uint64_t expected = 0;
  const auto refused = [&](const WireHeader& header, std::size_t payload) {
    fabric.forge(0, 1, header.bytes(), payload);
    machine.run();
    EXPECT_EQ(there.status(PTL_SR_MALFORMED_COUNT), ++expected);
  };
  const auto altered = [&](auto alter) {
    WireHeader header = genuine(here, there, MessageKind::kPut, 4);
    alter(header);
    header.seal();
    return header;
  };
  WireHeader unsealed = genuine(here, there, MessageKind::kPut, 4);
  unsealed.match_bits ^= 1ull << 40;
  refused(unsealed, 4);
  refused(altered([](WireHeader& h) { h.magic = 0; }), 4);
  refused(altered([](WireHeader& h) { h.version = 9; }), 4);
  refused(altered([](WireHeader& h) { h.kind = static_cast<MessageKind>(0); }), 4);
  refused(altered([](WireHeader& h) { h.kind = static_cast<MessageKind>(77); }), 4);
  refused(altered([](WireHeader& h) { h.source.nid = 1; }), 4);
  refused(altered([](WireHeader& h) { h.target.nid = 0; }), 4);
  refused(altered([](WireHeader& h) { h.requested = ~0ull; }), 4);
  refused(genuine(here, there, MessageKind::kPut, 4), 3);       // says more than there is
  refused(genuine(here, there, MessageKind::kGet, 4), 3);       // brings what it should not
  refused(genuine(here, there, MessageKind::kGetPut, 65), 65);  // swaps more than anybody may
  refused(altered([](WireHeader& h) { h.kind = MessageKind::kReply, h.matched = 5; }), 5);
  for (std::size_t length : {0u, 1u, 50u, 103u}) {
    fabric.forge(0, 1, genuine(here, there, MessageKind::kPut, 4).bytes().first(length), 4);
    machine.run();
    EXPECT_EQ(there.status(PTL_SR_MALFORMED_COUNT), ++expected);
  }
  EXPECT_TRUE(there.kinds(eq).empty());
  fabric.forge(0, 1, genuine(here, there, MessageKind::kPut, 4).bytes(), 4);  // the way they should be
  machine.run();
  EXPECT_EQ(there.kinds(eq).size(), 2u);
}

TEST_F(Portals3, AnswersToQuestionsNobodyAskedAreDiscarded) {
  std::string target = "....";
  const auto eq = there.queue();
  const auto md = there.bind(memory(target, 0, eq));
  Random random{5};
  for (int i = 0; i < 2000; ++i) {
    WireHeader header = genuine(here, there, i % 2 == 0 ? MessageKind::kReply : MessageKind::kAck, 4);
    header.descriptor = i % 4 < 2 ? static_cast<ptl_handle_md_t>(random()) : md;
    header.generation = static_cast<std::uint32_t>(random()) | 1;  // the true one is 0
    header.local_offset = random();
    header.matched = header.kind == MessageKind::kReply ? 4 : random() % 5;
    header.seal();
    machine.fabric().forge(0, 1, header.bytes(), header.payload_bytes());
  }
  WireHeader outside = genuine(here, there, MessageKind::kReply, 4);
  outside.descriptor = md;
  outside.matched = 4;
  for (std::uint64_t offset : {1ull, 4ull, 5ull, ~0ull, ~0ull - 3}) {
    outside.local_offset = offset;
    outside.seal();
    machine.fabric().forge(0, 1, outside.bytes(), 4);
  }
  machine.run();
  EXPECT_TRUE(there.kinds(eq).empty());
  EXPECT_EQ(target, "....");
  EXPECT_EQ(there.status(PTL_SR_LATE_COUNT), 2000u);
  EXPECT_EQ(there.status(), 5u);
}

TEST_F(Portals3, MemoryThatCannotBeRegisteredIsNoDescriptor) {
  std::string bytes = "....", others = "....";
  for (int code : {PTL_VAL_FAILED, PTL_NO_SPACE, PTL_MD_ILLEGAL}) {
    machine.bridge(0).refuse_with_ = code;
    On on{machine, 0};
    ptl_handle_md_t md;
    EXPECT_EQ(PtlMDBind(here.ni, memory(bytes, 0), PTL_RETAIN, &md), code);
    machine.bridge(0).refuse_with_ = PTL_OK;
    EXPECT_EQ(PtlMDBind(here.ni, memory(bytes, 0), PTL_RETAIN, &md), PTL_OK);
    machine.bridge(0).refuse_with_ = code;
    ptl_md_t other = memory(others, PTL_MD_OP_PUT), same = memory(bytes, PTL_MD_OP_GET), old{};
    EXPECT_EQ(PtlMDUpdate(md, &old, &other, PTL_EQ_NONE), code);
    EXPECT_EQ(PtlMDUpdate(md, &old, nullptr, PTL_EQ_NONE), PTL_OK);
    EXPECT_EQ(old.options, 0u);  // it is as it was
    // Memory that stays need not be registered again.
    EXPECT_EQ(PtlMDUpdate(md, &old, &same, PTL_EQ_NONE), PTL_OK);
    EXPECT_EQ(PtlMDUpdate(md, &old, nullptr, PTL_EQ_NONE), PTL_OK);
    EXPECT_EQ(old.options, same.options);
    EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
  }
}

TEST_F(Portals3, ClosingWaitsForWhatTheNetworkStillUses) {
  std::string word = "word", target = "....";
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT));
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  {
    On on{machine, 0};
    EXPECT_EQ(PtlNIFini(here.ni), PTL_OK);
    word = "____";  // ours again
  }
  machine.run();
  EXPECT_EQ(target, "word");
}

}  // namespace
}  // namespace aqueduct::test
