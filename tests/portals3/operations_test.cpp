// What put, get and getput do, on both sides, when nothing goes wrong.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "portals3/side.hpp"

namespace aqueduct::test {
namespace {

TEST_F(Portals3, APutLandsAndBothSidesAreTold) {
  std::string source = "eight by", target = "........";
  const auto sent = here.queue(), received = there.queue();
  const auto md = there.attach(there.entry(0x11), memory(target, PTL_MD_OP_PUT, received));
  const auto from = here.bind(memory(source, 0, sent));
  ASSERT_EQ(here.put(from, there, 0x11, PTL_ACK_REQ, 0, 0xfeed), PTL_OK);
  machine.run();
  EXPECT_EQ(target, source);

  const auto target_events = there.events(received);
  ASSERT_EQ(target_events.size(), 2u);
  EXPECT_EQ(target_events[0].type, PTL_EVENT_PUT_START);
  EXPECT_EQ(target_events[1].type, PTL_EVENT_PUT_END);
  EXPECT_EQ(target_events[1].link, target_events[0].sequence);
  for (const ptl_event_t& event : target_events) {
    EXPECT_EQ(event.initiator.nid, here.id.nid);
    EXPECT_EQ(event.initiator.pid, here.id.pid);
    EXPECT_EQ(event.uid, 7u);
    EXPECT_EQ(event.jid, 3u);
    EXPECT_EQ(event.pt_index, kPortal);
    EXPECT_EQ(event.match_bits, 0x11u);
    EXPECT_EQ(event.hdr_data, 0xfeedu);
    EXPECT_EQ(event.rlength, 8u);
    EXPECT_EQ(event.mlength, 8u);
    EXPECT_EQ(event.offset, 0u);
    EXPECT_EQ(event.md_handle, md);
    EXPECT_EQ(event.md.user_ptr, &target);
    EXPECT_EQ(event.ni_fail_type, static_cast<ptl_ni_fail_t>(PTL_NI_OK));
  }
  const auto source_events = here.events(sent);
  ASSERT_EQ(source_events.size(), 3u);
  EXPECT_EQ(source_events[0].type, PTL_EVENT_SEND_START);
  EXPECT_EQ(source_events[1].type, PTL_EVENT_SEND_END);
  EXPECT_EQ(source_events[2].type, PTL_EVENT_ACK);
  EXPECT_EQ(source_events[2].mlength, 8u);
  EXPECT_EQ(source_events[2].match_bits, 0x11u);
  EXPECT_EQ(source_events[2].md_handle, from);
  EXPECT_EQ(source_events[2].initiator.nid, there.id.nid);
}

TEST_F(Portals3, AGetBringsBackWhatIsThere) {
  std::string source = "abcdefgh", target = "....";
  const auto answered = there.queue(), replied = here.queue();
  there.attach(there.entry(2), memory(source, PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, answered));
  ASSERT_EQ(here.get(here.bind(memory(target, 0, replied)), there, 2, 3), PTL_OK);
  machine.run();
  EXPECT_EQ(target, "defg");
  EXPECT_EQ(there.kinds(answered), (Kinds{PTL_EVENT_GET_START, PTL_EVENT_GET_END}));
  const auto events = here.events(replied);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, PTL_EVENT_REPLY_START);
  EXPECT_EQ(events[1].type, PTL_EVENT_REPLY_END);
  EXPECT_EQ(events[1].match_bits, 2u);
  EXPECT_EQ(events[1].mlength, 4u);
  EXPECT_EQ(events[1].hdr_data, 0u);
}

TEST_F(Portals3, AGetputSwaps) {
  std::string mine = "new!", old = "????", there_now = "old.";
  const auto swapped = there.queue(), sent = here.queue(), replied = here.queue();
  there.attach(there.entry(3), memory(there_now, PTL_MD_OP_PUT | PTL_MD_OP_GET, swapped));
  const auto get_md = here.bind(memory(old, 0, replied)), put_md = here.bind(memory(mine, 0, sent));
  {
    On on{machine, 0};
    ASSERT_EQ(PtlGetPut(get_md, put_md, there.id, kPortal, 0, 3, 0, 9), PTL_OK);
  }
  machine.run();
  EXPECT_EQ(there_now, "new!");
  EXPECT_EQ(old, "old.");
  const auto events = there.events(swapped);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, PTL_EVENT_GETPUT_START);
  EXPECT_EQ(events[1].type, PTL_EVENT_GETPUT_END);
  EXPECT_EQ(events[1].hdr_data, 9u);
  EXPECT_EQ(here.kinds(sent), (Kinds{PTL_EVENT_SEND_START, PTL_EVENT_SEND_END}));
  EXPECT_EQ(here.kinds(replied), (Kinds{PTL_EVENT_REPLY_START, PTL_EVENT_REPLY_END}));
}

TEST_F(Portals3, ALockMadeOfGetputsLetsOneIn) {
  std::array<std::uint32_t, 1> lock{0}, mine{1}, seen[8];
  const ptl_md_t word{
      lock.data(), 4,          PTL_MD_THRESH_INF, 0, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE,
      nullptr,     PTL_EQ_NONE};
  there.attach(there.entry(1), word);
  const auto one = here.bind({mine.data(), 4, PTL_MD_THRESH_INF, 0, 0, nullptr, PTL_EQ_NONE});
  for (auto& slot : seen) {
    slot[0] = 77;
    const auto into = here.bind({slot.data(), 4, PTL_MD_THRESH_INF, 0, 0, nullptr, PTL_EQ_NONE});
    On on{machine, 0};
    ASSERT_EQ(PtlGetPut(into, one, there.id, kPortal, 0, 1, 0, 0), PTL_OK);
  }
  machine.run();
  unsigned winners = 0;
  for (const auto& slot : seen) winners += slot[0] == 0;
  EXPECT_EQ(winners, 1u);
  EXPECT_EQ(lock[0], 1u);
}

TEST_F(Portals3, AProcessPutsToItself) {
  std::string source = "self", target = "....";
  const auto eq = here.queue();
  here.attach(here.entry(1), memory(target, PTL_MD_OP_PUT, eq));
  ASSERT_EQ(here.put(here.bind(memory(source, 0)), here, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(target, source);
  EXPECT_EQ(here.kinds(eq), (Kinds{PTL_EVENT_PUT_START, PTL_EVENT_PUT_END}));
}

TEST_F(Portals3, RegionsOfScatteredMemoryAreMovedPieceByPiece) {
  std::string a = "abc", b = "", c = "defgh", x = "....", y = "....";
  ptl_md_iovec_t from[] = {{a.data(), 3}, {b.data(), 0}, {c.data(), 5}};
  ptl_md_iovec_t to[] = {{x.data(), 4}, {y.data(), 4}};
  there.attach(there.entry(1),
               {to, 2, PTL_MD_THRESH_INF, 0,
                PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_IOVEC, nullptr, PTL_EQ_NONE});
  const auto md = here.bind({from, 3, PTL_MD_THRESH_INF, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE});
  from[0] = {nullptr, 0};  // the list is copied
  {
    On on{machine, 0};
    ASSERT_EQ(PtlPutRegion(md, 1, 6, PTL_NO_ACK_REQ, there.id, kPortal, 0, 1, 2, 0), PTL_OK);
  }
  machine.run();
  EXPECT_EQ(x + y, "..bcdefg");
  a = "___", c = "_____";
  {
    On on{machine, 0};
    ASSERT_EQ(PtlGetRegion(md, 2, 4, there.id, kPortal, 0, 1, 3), PTL_OK);
  }
  machine.run();
  EXPECT_EQ(a + c, "__cdef__");
}

TEST_F(Portals3, MessagesWithoutBytesArriveToo) {
  std::string full = "x";
  const auto eq = there.queue();
  there.attach(there.entry(1), {nullptr, 0, PTL_MD_THRESH_INF, 0, PTL_MD_OP_PUT, nullptr, eq});
  const auto nothing = here.bind({nullptr, 0, PTL_MD_THRESH_INF, 0, 0, nullptr, PTL_EQ_NONE});
  EXPECT_EQ(here.put(nothing, there, 1, PTL_NO_ACK_REQ, 0, 42), PTL_OK);
  EXPECT_EQ(here.put(here.bind(memory(full, 0)), there, 1), PTL_OK);  // one byte too many
  machine.run();
  const auto events = there.events(eq);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].hdr_data, 42u);
  EXPECT_EQ(there.status(), 1u);
}

TEST_F(Portals3, LongPutsTruncateOnlyWhereTheyMay) {
  std::string source = "0123456789", small = "....", exact = "..........";
  const auto eq = there.queue(), acks = here.queue();
  there.attach(there.entry(1),
               memory(small, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));  // refuses: goes on to the next
  there.attach(there.entry(1), memory(small, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE, eq));
  there.attach(there.entry(2), memory(exact, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));
  const auto md = here.bind(memory(source, PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE, acks));
  EXPECT_EQ(here.put(md, there, 1, PTL_ACK_REQ, 1), PTL_OK);
  EXPECT_EQ(here.put(md, there, 1, PTL_ACK_REQ, 5), PTL_OK);  // behind the end, even for truncation
  EXPECT_EQ(here.put(md, there, 2, PTL_ACK_REQ, 1), PTL_OK);  // one byte too long
  machine.run();
  EXPECT_EQ(small, ".012");
  EXPECT_EQ(exact, "..........");
  const auto events = there.events(eq);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].rlength, 10u);
  EXPECT_EQ(events[1].mlength, 3u);
  EXPECT_EQ(events[1].offset, 1u);
  const auto acknowledged = here.events(acks);
  ASSERT_EQ(acknowledged.size(), 1u);
  EXPECT_EQ(acknowledged[0].mlength, 3u);
  EXPECT_EQ(acknowledged[0].rlength, 10u);
  EXPECT_EQ(there.status(), 2u);
  EXPECT_EQ(there.status(PTL_SR_DROP_LENGTH), 20u);
}

TEST_F(Portals3, LongGetsTruncateOnlyWhereTheyMay) {
  std::string source = "0123", target = "..........";
  there.attach(there.entry(1), memory(source, PTL_MD_OP_GET | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE));
  there.attach(there.entry(2), memory(source, PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE));
  const auto eq = here.queue();
  const auto md = here.bind(memory(target, 0, eq));
  EXPECT_EQ(here.get(md, there, 1, 1), PTL_OK);
  EXPECT_EQ(here.get(md, there, 2, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(target, "123.......");
  const auto events = here.events(eq);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].rlength, 10u);
  EXPECT_EQ(events[1].mlength, 3u);
  EXPECT_EQ(there.status(), 1u);
}

TEST_F(Portals3, ALocallyManagedBufferFillsUpAndUnlinks) {
  std::string buffer(10, '.'), next(10, '.'), word = "abc";
  const auto eq = there.queue();
  ptl_md_t md = memory(buffer, PTL_MD_OP_PUT | PTL_MD_MAX_SIZE | PTL_MD_EVENT_START_DISABLE, eq);
  md.max_size = 3;
  const auto first = there.entry(1, 0, PTL_UNLINK);
  there.attach(first, md, PTL_UNLINK);
  there.attach(there.entry(1), memory(next, PTL_MD_OP_PUT));
  const auto from = here.bind(memory(word, 0));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(here.put(from, there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(buffer, "abcabcabc.");  // the fourth would have fit, had one byte less been kept free
  EXPECT_EQ(next, "abc.......");
  const auto events = there.events(eq);
  ASSERT_EQ(events.size(), 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(events[i].offset, 3u * i);
  EXPECT_EQ(events[3].type, PTL_EVENT_UNLINK);
  EXPECT_EQ(events[3].link, events[2].sequence);
  On on{machine, 1};
  EXPECT_EQ(PtlMEUnlink(first), PTL_ME_INVALID);
}

TEST_F(Portals3, PutRequiresThePutBitAndGetTheGetBit) {
  std::string bytes = "....";
  there.attach(there.entry(1), memory(bytes, PTL_MD_OP_PUT));
  there.attach(there.entry(2), memory(bytes, PTL_MD_OP_GET));
  const auto md = here.bind(memory(bytes, 0));
  EXPECT_EQ(here.get(md, there, 1), PTL_OK);
  EXPECT_EQ(here.put(md, there, 2), PTL_OK);
  for (ptl_match_bits_t bits : {1, 2}) {
    On on{machine, 0};
    EXPECT_EQ(PtlGetPut(md, md, there.id, kPortal, 0, bits, 0, 0), PTL_OK);
  }
  machine.run();
  EXPECT_EQ(there.status(), 4u);
}

TEST_F(Portals3, EntriesAreTriedInTheOrderOfTheList) {
  std::string a = "a", b = "b", c = "c", word = "!";
  const auto middle = there.entry(0xf0, 0x0f);
  there.attach(middle, memory(b, PTL_MD_OP_PUT, PTL_EQ_NONE, 1));
  ptl_handle_me_t before = 0, after = 0;
  {
    On on{machine, 1};
    ASSERT_EQ(PtlMEInsert(middle, kAnybody, 0xf1, 0, PTL_RETAIN, PTL_INS_BEFORE, &before), PTL_OK);
    ASSERT_EQ(PtlMEInsert(middle, kAnybody, 0, ~0ull, PTL_RETAIN, PTL_INS_AFTER, &after), PTL_OK);
  }
  there.attach(before, memory(a, PTL_MD_OP_PUT));
  there.attach(after, memory(c, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));
  const auto md = here.bind(memory(word, 0));
  EXPECT_EQ(here.put(md, there, 0xf2), PTL_OK);  // not the first
  machine.run();
  EXPECT_EQ(a + b + c, "a!c");
  EXPECT_EQ(here.put(md, there, 0xf1), PTL_OK);
  machine.run();
  EXPECT_EQ(a + b + c, "!!c");
  EXPECT_EQ(here.put(md, there, 0xf2), PTL_OK);  // the second is used up
  machine.run();
  EXPECT_EQ(a + b + c, "!!!");
  const auto first = there.entry(0, ~0ull, PTL_RETAIN, kAnybody, PTL_INS_BEFORE);
  std::string front = ".";
  there.attach(first, memory(front, PTL_MD_OP_PUT));
  EXPECT_EQ(here.put(md, there, 0xf1), PTL_OK);
  machine.run();
  EXPECT_EQ(front, "!");
}

TEST_F(Portals3, EntriesMayBeForOneSourceOnly) {
  std::string target = "....", word = "word";
  const auto stranger = ptl_process_id_t{here.id.nid, here.id.pid + 1};
  there.attach(there.entry(1, 0, PTL_RETAIN, stranger), memory(target, PTL_MD_OP_PUT));
  there.attach(there.entry(1, 0, PTL_RETAIN, there.id), memory(target, PTL_MD_OP_PUT));
  const auto md = here.bind(memory(word, 0));
  EXPECT_EQ(here.put(md, there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(there.status(), 1u);
  there.attach(there.entry(1, 0, PTL_RETAIN, {PTL_NID_ANY, here.id.pid}), memory(target, PTL_MD_OP_PUT));
  EXPECT_EQ(here.put(md, there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(there.status(), 1u);
  EXPECT_EQ(target, word);
}

TEST_F(Portals3, AnEntryWithoutADescriptorNeverMatches) {
  std::string target = "....", word = "word";
  const auto bare = there.entry(1);
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT));
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(target, word);
  there.attach(bare, memory(target, PTL_MD_OP_PUT));
}

TEST_F(Portals3, TheAccessTableKeepsStrangersOut) {
  std::string target = "....", word = "word";
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));
  const auto md = here.bind(memory(word, 0));
  const auto set = [&](ptl_process_id_t id, ptl_uid_t uid, ptl_jid_t jid, ptl_pt_index_t pt_index) {
    On on{machine, 1};
    EXPECT_EQ(PtlACEntry(there.ni, 1, id, uid, jid, pt_index), PTL_OK);
  };
  std::uint64_t denied = 0;
  const auto try_it = [&](bool passes) {
    EXPECT_EQ(here.put(md, there, 1, PTL_NO_ACK_REQ, 0, 0, 1), PTL_OK);
    machine.run();
    denied += !passes;
    EXPECT_EQ(there.status(PTL_SR_DENIED_COUNT), denied);
  };
  try_it(true);  // the same user, by default
  set(kAnybody, 8, PTL_JID_ANY, PTL_PT_INDEX_ANY), try_it(false);
  set(kAnybody, PTL_UID_ANY, 4, PTL_PT_INDEX_ANY), try_it(false);
  set(kAnybody, PTL_UID_ANY, 3, kPortal + 1), try_it(false);
  set(there.id, PTL_UID_ANY, PTL_JID_ANY, kPortal), try_it(false);
  set(here.id, 7, 3, kPortal), try_it(true);
  EXPECT_EQ(there.status(), denied);
  machine.bridge(0).identity_.uid = 8;
  EXPECT_EQ(here.put(md, there, 1, PTL_NO_ACK_REQ, 0, 0, 99), PTL_OK);  // no such entry
  machine.run();
  EXPECT_EQ(there.status(), denied + 1);
  On on{machine, 0};
  EXPECT_EQ(PtlPut(md, PTL_NO_ACK_REQ, there.id, 64, 0, 1, 0, 0), PTL_OK);  // no such portal
  machine.run();
  EXPECT_EQ(there.status(), denied + 2);
}

TEST_F(Portals3, DescriptorsSuppressEventsThatNobodyWants) {
  std::string target = "....", word = "word";
  const auto received = there.queue(), sent = here.queue();
  there.attach(
      there.entry(1),
      memory(target, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE | PTL_MD_ACK_DISABLE,
             received));
  const auto quiet = here.bind(memory(word, PTL_MD_EVENT_END_DISABLE, sent));
  EXPECT_EQ(here.put(quiet, there, 1, PTL_ACK_REQ), PTL_OK);
  machine.run();
  EXPECT_EQ(there.kinds(received), (Kinds{PTL_EVENT_PUT_END}));
  EXPECT_EQ(here.kinds(sent), (Kinds{PTL_EVENT_SEND_START}));  // and no acknowledgement
}

TEST_F(Portals3, GetsAnnounceThatTheyAreSentWhereTheXtDid) {
  std::string source = "word", target = "....";
  there.attach(there.entry(1), memory(source, PTL_MD_OP_GET));
  const auto eq = here.queue();
  const auto md = here.bind(memory(target, PTL_MD_EVENT_SEND_FOR_GET | PTL_MD_EVENT_START_DISABLE, eq));
  EXPECT_EQ(here.get(md, there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(here.kinds(eq), (Kinds{PTL_EVENT_SEND_END, PTL_EVENT_REPLY_END}));
}

TEST(Portals3Order, RequestsStartInOrderAndEndInAny) {
  bool overtaken = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine{{.nodes = 2, .seed = seed, .inline_bytes = 16, .in_order = false}};
    Side here{machine, 0}, there{machine, 1};
    std::vector<char> source(10'000, 'x'), target(10'000);
    const auto eq = there.queue(256);
    there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE, eq));
    const auto md = here.bind(memory(source, 0));
    for (ptl_hdr_data_t i = 0; i < 20; ++i) {
      On on{machine, 0};
      ASSERT_EQ(PtlPutRegion(md, 0, i % 2 == 0 ? 10'000 : 8, PTL_NO_ACK_REQ, there.id, kPortal, 0, 1, 0, i),
                PTL_OK);
    }
    machine.run();
    std::vector<ptl_hdr_data_t> starts, ends;
    for (const ptl_event_t& event : there.events(eq)) {
      (event.type == PTL_EVENT_PUT_START ? starts : ends).push_back(event.hdr_data);
    }
    std::vector<ptl_hdr_data_t> all(20);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(starts, all);
    overtaken |= ends != all;
    std::sort(ends.begin(), ends.end());
    EXPECT_EQ(ends, all);
  }
  EXPECT_TRUE(overtaken);
}

TEST(Portals3Processes, SeveralProcessesShareANode) {
  Machine machine{{.nodes = 2}, 2};
  Side a{machine, 0}, b{machine, 1}, c{machine, 2}, d{machine, 3};
  EXPECT_EQ(a.id.nid, b.id.nid);
  EXPECT_NE(a.id.pid, b.id.pid);
  std::string ring[] = {"a", "b", "c", "d"};
  std::string inbox[] = {".", ".", ".", "."};
  Side* sides[] = {&a, &b, &c, &d};
  for (int i = 0; i < 4; ++i) sides[i]->attach(sides[i]->entry(1), memory(inbox[i], PTL_MD_OP_PUT));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(sides[i]->put(sides[i]->bind(memory(ring[i], 0)), *sides[(i + 1) % 4], 1), PTL_OK);
  }
  machine.run();
  EXPECT_EQ(inbox[0] + inbox[1] + inbox[2] + inbox[3], "dabc");
  a.id.pid = 77;
  EXPECT_EQ(d.put(d.bind(memory(ring[0], 0)), a, 1), PTL_OK);  // nobody there
  machine.run();
  EXPECT_EQ(b.status(PTL_SR_STRAY_COUNT), 1u);
}

}  // namespace
}  // namespace aqueduct::test
