// Thresholds, unlinking, updating: the lives of descriptors and entries.
#include <string>

#include "portals3/side.hpp"

namespace aqueduct::test {
namespace {

TEST_F(Portals3, AThresholdCountsWhatIsAccepted) {
  std::string target = "..", word = "x";
  const auto eq = there.queue();
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, eq, 2));
  const auto md = here.bind(memory(word, 0));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(here.put(md, there, 1), PTL_OK);
  machine.run();
  const auto events = there.events(eq);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].md.threshold, 1);
  EXPECT_EQ(events[1].md.threshold, 0);
  EXPECT_EQ(there.status(), 1u);
}

TEST_F(Portals3, ADescriptorWithThresholdZeroIsInactive) {
  std::string target = "..", word = "x";
  for (int threshold : {0, -2, -100}) {
    there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT, PTL_EQ_NONE, threshold), PTL_UNLINK);
    EXPECT_EQ(here.put(here.bind(memory(word, 0, PTL_EQ_NONE, threshold)), there, 1), PTL_MD_INVALID);
  }
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(there.status(), 1u);
}

TEST_F(Portals3, AnAcknowledgedPutNeedsTwo) {
  std::string target = "....", word = "x";
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT));
  const auto one = here.queue(), two = here.queue();
  const auto short_lived = here.bind(memory(word, PTL_MD_EVENT_START_DISABLE, one, 1), PTL_UNLINK);
  const auto enough = here.bind(memory(word, PTL_MD_EVENT_START_DISABLE, two, 2), PTL_UNLINK);
  EXPECT_EQ(here.put(short_lived, there, 1, PTL_ACK_REQ), PTL_OK);
  EXPECT_EQ(here.put(short_lived, there, 1, PTL_ACK_REQ), PTL_MD_INVALID);  // used up
  EXPECT_EQ(here.put(enough, there, 1, PTL_ACK_REQ), PTL_OK);
  machine.run();
  EXPECT_EQ(here.kinds(one), (Kinds{PTL_EVENT_SEND_END, PTL_EVENT_UNLINK}));
  const auto events = here.events(two);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].type, PTL_EVENT_SEND_END);
  EXPECT_EQ(events[1].type, PTL_EVENT_ACK);
  EXPECT_EQ(events[2].type, PTL_EVENT_UNLINK);
  EXPECT_EQ(events[2].link, events[1].sequence);
  EXPECT_EQ(here.status(PTL_SR_LATE_COUNT), 1u);
  On on{machine, 0};
  EXPECT_EQ(PtlMDUnlink(short_lived), PTL_MD_INVALID);
  EXPECT_EQ(PtlMDUnlink(enough), PTL_MD_INVALID);
}

TEST_F(Portals3, AGetIsCountedWhenItsReplyComes) {
  std::string source = "word", target = "....";
  there.attach(there.entry(1), memory(source, PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE));
  const auto eq = here.queue();
  const auto md = here.bind(memory(target, PTL_MD_EVENT_START_DISABLE, eq, 1), PTL_UNLINK);
  EXPECT_EQ(here.get(md, there, 1), PTL_OK);
  EXPECT_EQ(here.get(md, there, 1), PTL_OK);  // nothing has come yet
  machine.run();
  EXPECT_EQ(here.kinds(eq), (Kinds{PTL_EVENT_REPLY_END, PTL_EVENT_UNLINK}));
  EXPECT_EQ(here.status(PTL_SR_LATE_COUNT), 1u);
}

TEST_F(Portals3, WhatIsInFlightKeepsItsDescriptor) {
  std::string target = "....", word = "word";
  const auto me = there.entry(1, 0, PTL_UNLINK);
  const auto to = there.attach(me, memory(target, PTL_MD_OP_PUT));
  const auto from = here.bind(memory(word, 0));
  EXPECT_EQ(here.put(from, there, 1), PTL_OK);
  {
    On on{machine, 0};
    EXPECT_EQ(PtlMDUnlink(from), PTL_MD_IN_USE);
  }
  ASSERT_TRUE(machine.fabric().step());  // the header arrives; the payload is under way
  {
    On on{machine, 1};
    EXPECT_EQ(PtlMDUnlink(to), PTL_MD_IN_USE);
    EXPECT_EQ(PtlMEUnlink(me), PTL_ME_IN_USE);
    ptl_md_t other = memory(word, PTL_MD_OP_PUT);
    EXPECT_EQ(PtlMDUpdate(to, nullptr, &other, PTL_EQ_NONE), PTL_MD_NO_UPDATE);
  }
  machine.run();
  EXPECT_EQ(target, word);
  {
    On on{machine, 1};
    EXPECT_EQ(PtlMDUnlink(to), PTL_OK);
    EXPECT_EQ(PtlMEUnlink(me), PTL_ME_INVALID);  // it went with its descriptor
  }
  On on{machine, 0};
  EXPECT_EQ(PtlMDUnlink(from), PTL_OK);
  EXPECT_EQ(PtlMDUnlink(from), PTL_MD_INVALID);
}

TEST_F(Portals3, UnlinkingAnEntryTakesItsDescriptorAlong) {
  std::string target = "....";
  const auto retained = there.entry(1, 0, PTL_RETAIN), other = there.entry(2, 0, PTL_RETAIN);
  const auto md = there.attach(retained, memory(target, PTL_MD_OP_PUT));
  const auto second = there.attach(other, memory(target, PTL_MD_OP_PUT));
  On on{machine, 1};
  EXPECT_EQ(PtlMEUnlink(retained), PTL_OK);
  EXPECT_EQ(PtlMDUnlink(md), PTL_MD_INVALID);
  EXPECT_EQ(PtlMDUnlink(second), PTL_OK);  // the entry stays
  EXPECT_EQ(PtlMDUnlink(second), PTL_MD_INVALID);
  EXPECT_EQ(PtlMEUnlink(other), PTL_OK);
}

TEST(Portals3Answers, AGetIsOverWithItsReplyWhateverIsKnownOfItsRequest) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine{{.nodes = 2, .seed = seed, .in_order = false}};
    Side here{machine, 0}, there{machine, 1};
    std::string source = "word", target = "....";
    there.attach(there.entry(1), memory(source, PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE));
    const auto eq = here.queue();
    const auto md = here.bind(memory(target, PTL_MD_EVENT_START_DISABLE, eq));
    EXPECT_EQ(here.get(md, there, 1), PTL_OK);
    while (here.kinds(eq).empty()) ASSERT_TRUE(machine.fabric().step());
    On on{machine, 0};
    EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
    EXPECT_EQ(target, "word");
  }
}

TEST(Portals3Answers, ForADescriptorThatIsGoneAreNotItsSuccessors) {
  unsigned late = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine{{.nodes = 2, .seed = seed, .in_order = false}};
    Side here{machine, 0}, there{machine, 1};
    std::string source = "word", target = "....", later = "----";
    there.attach(there.entry(1), memory(source, PTL_MD_OP_GET | PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));
    const auto md = here.bind(memory(target, 0));
    EXPECT_EQ(here.get(md, there, 1), PTL_OK);
    // Before the reply comes, or after it; while it comes that is refused.
    for (std::uint64_t steps = seed % 10; steps != 0 && machine.fabric().step();) --steps;
    while (true) {
      On on{machine, 0};
      if (PtlMDUnlink(md) == PTL_OK) break;
      ASSERT_TRUE(machine.fabric().step());
    }
    const auto eq = here.queue();
    for (int i = 0; i < 40; ++i) here.bind(memory(later, 0, eq));  // one of them has the old one's place
    machine.run();
    EXPECT_EQ(later, "----");
    EXPECT_TRUE(here.kinds(eq).empty());
    EXPECT_EQ(target, here.status(PTL_SR_LATE_COUNT) == 1 ? "...." : "word");
    late += here.status(PTL_SR_LATE_COUNT);
  }
  EXPECT_GT(late, 0u);
  EXPECT_LT(late, 20u);
}

TEST_F(Portals3, AnUpdateHappensOnlyIfTheQueueIsEmpty) {
  std::string a = "....", b = "----", word = "word";
  const auto eq = there.queue(), another = there.queue();
  const auto md = there.attach(there.entry(1), memory(a, PTL_MD_OP_PUT, eq, 5));
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  machine.run();
  ptl_md_t old{}, fresh = memory(b, PTL_MD_OP_PUT, another, 7);
  {
    On on{machine, 1};
    EXPECT_EQ(PtlMDUpdate(md, &old, nullptr, PTL_EQ_NONE), PTL_OK);  // only asks
    EXPECT_EQ(old.start, a.data());
    EXPECT_EQ(old.threshold, 4);
    old = {};
    EXPECT_EQ(PtlMDUpdate(md, &old, &fresh, eq), PTL_MD_NO_UPDATE);
    EXPECT_EQ(old.start, a.data());
  }
  EXPECT_EQ(there.events(eq).size(), 2u);
  {
    On on{machine, 1};
    EXPECT_EQ(PtlMDUpdate(md, &old, &fresh, eq), PTL_OK);
    EXPECT_EQ(PtlMDUpdate(md, &old, nullptr, eq), PTL_OK);
    EXPECT_EQ(old.start, b.data());
    EXPECT_EQ(old.threshold, 7);
    EXPECT_EQ(PtlEQFree(eq), PTL_OK);  // nothing names it any more
    EXPECT_EQ(PtlEQFree(another), PTL_EQ_IN_USE);
  }
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(b, word);  // from its beginning
  EXPECT_EQ(there.events(another).size(), 2u);
}

TEST_F(Portals3, AnUpdateRevivesWhatWasInactive) {
  std::string target = "....", word = "word";
  const auto md = there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT, PTL_EQ_NONE, 0));
  ptl_md_t fresh = memory(target, PTL_MD_OP_PUT, PTL_EQ_NONE, 1);
  {
    On on{machine, 1};
    EXPECT_EQ(PtlMDUpdate(md, nullptr, &fresh, PTL_EQ_NONE), PTL_OK);
  }
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(target, word);
}

TEST_F(Portals3, ExhaustedDescriptorsWaitForTheirLastTransferBeforeTheyGo) {
  std::string target = "............", word = "word";
  const auto eq = there.queue();
  const auto md =
      there.attach(there.entry(1, 0, PTL_UNLINK), memory(target, PTL_MD_OP_PUT, eq, 3), PTL_UNLINK);
  const auto from = here.bind(memory(word, 0));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(here.put(from, there, 1), PTL_OK);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(machine.fabric().step());
  EXPECT_EQ(there.kinds(eq), Kinds(3, PTL_EVENT_PUT_START));
  {
    On on{machine, 1};
    EXPECT_EQ(PtlMDUnlink(md), PTL_MD_IN_USE);
  }
  machine.run();
  EXPECT_EQ(target, "wordwordword");
  EXPECT_EQ(there.kinds(eq),
            (Kinds{PTL_EVENT_PUT_END, PTL_EVENT_PUT_END, PTL_EVENT_PUT_END, PTL_EVENT_UNLINK}));
  On on{machine, 1};
  EXPECT_EQ(PtlMDUnlink(md), PTL_MD_INVALID);
}

}  // namespace
}  // namespace aqueduct::test
