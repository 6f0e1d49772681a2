// Event queues: overflow, waiting, handlers.
#include <string>

#include "portals3/side.hpp"

namespace aqueduct::test {
namespace {

TEST_F(Portals3, ThousandsOfOperationsMayBeUnderWayAtOnce) {
  constexpr unsigned kPuts = 4000;
  std::string word = "x", target(1, '.');
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));
  const auto md = here.bind(memory(word, 0));
  for (unsigned i = 0; i < kPuts; ++i) ASSERT_EQ(here.put(md, there, 1, PTL_NO_ACK_REQ), PTL_OK) << i;
  machine.run();
  EXPECT_EQ(there.status(PTL_SR_RECV_COUNT), kPuts);
}

TEST_F(Portals3, AFullQueueLosesItsOldestEventsAndSaysSo) {
  std::string word = "x", target(100, '.');
  const auto eq = there.queue(4);
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, eq));
  const auto md = here.bind(memory(word, 0));
  for (ptl_hdr_data_t i = 0; i < 7; ++i) EXPECT_EQ(here.put(md, there, 1, PTL_NO_ACK_REQ, 0, i), PTL_OK);
  machine.run();
  EXPECT_EQ(there.status(PTL_SR_EVENT_LOST_COUNT), 3u);
  On on{machine, 1};
  ptl_event_t event;
  EXPECT_EQ(PtlEQGet(eq, &event), PTL_EQ_DROPPED);
  EXPECT_EQ(event.hdr_data, 3u);
  for (ptl_hdr_data_t i = 4; i < 7; ++i) {
    EXPECT_EQ(PtlEQGet(eq, &event), PTL_OK);
    EXPECT_EQ(event.hdr_data, i);
  }
  EXPECT_EQ(PtlEQGet(eq, &event), PTL_EQ_EMPTY);
  EXPECT_EQ(target.substr(0, 8), "xxxxxxx.");  // nothing else was lost
}

TEST_F(Portals3, QueuesAreRoundedUpToAPowerOfTwo) {
  std::string word = "x", target(100, '.');
  const auto eq = there.queue(5);
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, eq));
  const auto md = here.bind(memory(word, 0));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(here.put(md, there, 1), PTL_OK);
  machine.run();
  EXPECT_EQ(there.events(eq).size(), 8u);
  EXPECT_EQ(there.queue(0), PTL_EQ_NONE);
}

TEST_F(Portals3, WaitingMakesThingsHappen) {
  std::string word = "word", target = "....";
  const auto eq = there.queue(), silent = there.queue();
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT, eq));
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  On on{machine, 1};
  ptl_event_t event;
  EXPECT_EQ(PtlEQWait(eq, &event), PTL_OK);
  EXPECT_EQ(event.type, PTL_EVENT_PUT_START);
  ptl_handle_eq_t both[] = {silent, eq};
  int which = -1;
  EXPECT_EQ(PtlEQPoll(both, 2, PTL_TIME_FOREVER, &event, &which), PTL_OK);
  EXPECT_EQ(which, 1);
  EXPECT_EQ(event.type, PTL_EVENT_PUT_END);
}

TEST_F(Portals3, PollingEndsWhenItsTimeIsOver) {
  ptl_handle_eq_t eq = there.queue();
  On on{machine, 1};
  ptl_event_t event;
  int which = 0;
  EXPECT_EQ(PtlEQPoll(&eq, 1, 0, &event, &which), PTL_EQ_EMPTY);
  EXPECT_EQ(machine.bridge(1).now_ns(), 0u);
  EXPECT_EQ(PtlEQPoll(&eq, 1, 250, &event, &which), PTL_EQ_EMPTY);
  EXPECT_EQ(machine.bridge(1).now_ns(), 250'000'000u);
}

struct Told {
  std::vector<ptl_hdr_data_t> numbers;
  ptl_handle_md_t answer_with = 0;
  ptl_process_id_t answer_to{};
  int closing = -1;
  ptl_handle_ni_t ni = 0;
} told;

TEST_F(Portals3, HandlersSeeEachEventInOrderAndMayCallBack) {
  told = {};
  std::string word = "x", target(100, '.'), answers(100, '.');
  const auto eq = there.queue(16, [](ptl_event_t* event) {
    told.numbers.push_back(event->hdr_data);
    EXPECT_EQ(
        PtlPut(told.answer_with, PTL_NO_ACK_REQ, told.answer_to, kPortal, 0, 2, 0, event->hdr_data + 100),
        PTL_OK);
    told.closing = PtlNIFini(told.ni);
  });
  told.ni = there.ni;
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, eq));
  told.answer_with = there.bind(memory(word, 0));
  told.answer_to = here.id;
  const auto answered = here.queue();
  here.attach(here.entry(2), memory(answers, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, answered));
  const auto md = here.bind(memory(word, 0));
  for (ptl_hdr_data_t i = 0; i < 5; ++i) EXPECT_EQ(here.put(md, there, 1, PTL_NO_ACK_REQ, 0, i), PTL_OK);
  machine.run();
  EXPECT_EQ(told.numbers, (std::vector<ptl_hdr_data_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(told.closing, PTL_FAIL);  // from within a handler
  const auto events = here.events(answered);
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[4].hdr_data, 104u);
  EXPECT_EQ(there.events(eq).size(), 5u);  // they are in the queue as well
}

TEST_F(Portals3, WaitingAtAQueueEndsWhenTheQueueDoes) {
  static ptl_handle_eq_t waited_at;
  std::string word = "x", target(100, '.');
  waited_at = there.queue();
  const auto other = there.queue(16, [](ptl_event_t*) { EXPECT_EQ(PtlEQFree(waited_at), PTL_OK); });
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, other));
  EXPECT_EQ(here.put(here.bind(memory(word, 0)), there, 1), PTL_OK);
  On on{machine, 1};
  ptl_event_t event;
  EXPECT_EQ(PtlEQWait(waited_at, &event), PTL_EQ_INVALID);
}

TEST_F(Portals3, AHandlerIsToldWhatItCausesItself) {
  told = {};
  std::string word = "x", target(100, '.');
  there.attach(there.entry(1), memory(target, PTL_MD_OP_PUT));
  const auto eq = here.queue(16, [](ptl_event_t* event) {
    told.numbers.push_back(event->type);
    if (event->type == PTL_EVENT_ACK && event->hdr_data < 3) {
      EXPECT_EQ(PtlPut(event->md_handle, PTL_ACK_REQ, told.answer_to, kPortal, 0, 1, 0, event->hdr_data + 1),
                PTL_OK);
    }
  });
  told.answer_to = there.id;
  EXPECT_EQ(here.put(here.bind(memory(word, PTL_MD_EVENT_START_DISABLE, eq)), there, 1, PTL_ACK_REQ), PTL_OK);
  machine.run();
  EXPECT_EQ(told.numbers.size(), 8u);
  EXPECT_EQ(target.substr(0, 5), "xxxx.");
}

}  // namespace
}  // namespace aqueduct::test
