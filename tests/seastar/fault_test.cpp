// What goes wrong below and around the library, and what its users see of it.
#include <gtest/gtest.h>

#include <vector>

#include "stage.hpp"

namespace aqueduct::portals3::seastar::test {
namespace {

using sim::FaultProbe;

/// `rounds` acknowledged puts of growing size from node 0 to node 1, each checked.
void checked_puts(Stage& stage, BridgeKind bridge, unsigned rounds) {
  static constexpr std::size_t kMost = 20'000;
  const auto size = [](unsigned round) { return std::size_t{1} + round * 331 % kMost; };
  stage.start(0, {.bridge = bridge, .pid = 1}, [&stage, rounds, size](ptl_handle_ni_t interface) {
    std::vector<char> sent(kMost);
    stage.meet(2);
    for (unsigned round = 0; round < rounds; ++round) {
      std::fill(sent.begin(), sent.end(), static_cast<char>(round));
      const Source source(interface, sent.data(), size(round));
      source.put({1, 1});
      EXPECT_EQ(wait_for(source.queue, PTL_EVENT_ACK).mlength, size(round));
      stage.meet(2);
      EXPECT_EQ(PtlMDUnlink(source.descriptor), PTL_OK);
      EXPECT_EQ(PtlEQFree(source.queue), PTL_OK);
    }
  });
  stage.start(1, {.bridge = bridge, .pid = 1}, [&stage, rounds, size](ptl_handle_ni_t interface) {
    std::vector<char> received(kMost);
    const Window window(interface, received.data(), kMost);
    stage.meet(2);
    for (unsigned round = 0; round < rounds; ++round) {
      const ptl_event_t event = wait_for(window.queue, PTL_EVENT_PUT_END);
      EXPECT_EQ(event.mlength, size(round));
      for (std::size_t i = 0; i < event.mlength; ++i) {
        if (received[i] != static_cast<char>(round)) {
          ADD_FAILURE() << "byte " << i << " of round " << round;
          break;
        }
      }
      stage.meet(2);
    }
  });
}

std::string bridge_name(const ::testing::TestParamInfo<BridgeKind>& info) {
  static constexpr const char* kNames[] = {"qk", "uk", "k", "accelerated"};
  return kNames[static_cast<unsigned>(info.param)];
}

class Wire : public ::testing::TestWithParam<BridgeKind> {};

TEST_P(Wire, DamagedAndLostPacketsAreSentAgainBelowTheLibrary) {
  Stage stage({.faults = "corrupt=100000 drop=50000 duplicate=50000 delay=50000"});
  checked_puts(stage, GetParam(), 100);
  stage.run();
  const sim::Faults& faults = stage.simulation().faults();
  for (const FaultProbe probe :
       {FaultProbe::kHeaderCorrupted, FaultProbe::kPayloadCorrupted, FaultProbe::kHeaderDropped,
        FaultProbe::kPayloadDropped, FaultProbe::kDuplicate, FaultProbe::kRetried}) {
    EXPECT_GT(faults.count(probe), 0u) << name_of(probe);
  }
  EXPECT_EQ(stage.simulation().traffic().messages, 200u);  // each once: a put and its acknowledgement
}

TEST_P(Wire, TheSameSeedGivesTheSameTraceAndAnotherSeedAnother) {
  const auto hash = [](std::uint64_t seed) {
    Stage stage({.faults = "corrupt=50000 drop=50000", .seed = seed});
    checked_puts(stage, GetParam(), 20);
    stage.run();
    return stage.simulation().engine().trace().hash();
  };
  EXPECT_EQ(hash(3), hash(3));
  EXPECT_NE(hash(3), hash(4));
}

INSTANTIATE_TEST_SUITE_P(Over, Wire,
                         ::testing::Values(BridgeKind::kQk, BridgeKind::kUk, BridgeKind::kK,
                                           BridgeKind::kAccelerated),
                         bridge_name);

class DeadNode : public ::testing::TestWithParam<BridgeKind> {};

TEST_P(DeadNode, PutsAndGetsToItEndWithAFailure) {
  Stage stage({.faults = "crash=1:1us"});
  char memory[100] = {};
  stage.start(0, {.bridge = GetParam(), .pid = 1}, [&](ptl_handle_ni_t interface) {
    stage.simulation().host(0).compute(10 * sim::kMicrosecond);
    const Source source(interface, memory, sizeof memory);
    source.put({1, 1});
    EXPECT_EQ(wait_for(source.queue, PTL_EVENT_ACK).ni_fail_type,
              static_cast<ptl_ni_fail_t>(PTL_NI_UNDELIVERABLE));
    source.get({1, 1});
    EXPECT_EQ(wait_for(source.queue, PTL_EVENT_REPLY_END).ni_fail_type,
              static_cast<ptl_ni_fail_t>(PTL_NI_UNDELIVERABLE));
    ptl_sr_value_t failures = 0;
    EXPECT_EQ(PtlNIStatus(interface, PTL_SR_FAIL_COUNT, &failures), PTL_OK);
    EXPECT_EQ(failures, 2u);
  });
  stage.start(1, {.bridge = GetParam(), .pid = 1}, [&](ptl_handle_ni_t) { stage.meet(2); });
  stage.run();
  EXPECT_GT(stage.simulation().faults().count(FaultProbe::kUndeliverable), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seen, DeadNode, ::testing::Values(BridgeKind::kQk, BridgeKind::kAccelerated),
                         bridge_name);

/// What an event handler has of the test that it belongs to.
struct Retry {
  ptl_handle_md_t descriptor{};
  unsigned failures = 0;
};

TEST(EventHandler, ThatHearsOfADeadNodeCanSendElsewhere) {
  Stage stage({.nodes = 3, .faults = "crash=1:1us"});
  char from[8] = "hello", to[8] = {};
  Retry retry;
  stage.start(0, {.pid = 1}, [&](ptl_handle_ni_t interface) {
    stage.simulation().host(0).compute(10 * sim::kMicrosecond);
    const ptl_eq_handler_t handler = [](ptl_event_t* event) {
      auto* const self = static_cast<Retry*>(event->md.user_ptr);
      if (event->type != PTL_EVENT_ACK || event->ni_fail_type == PTL_NI_OK || self->failures++ != 0) return;
      EXPECT_EQ(PtlPut(self->descriptor, PTL_ACK_REQ, {2, 1}, kPortal, 0, kBits, 0, 0), PTL_OK);
    };
    ptl_handle_eq_t queue;
    ASSERT_EQ(PtlEQAlloc(interface, 64, handler, &queue), PTL_OK);
    const ptl_md_t memory{.start = from,
                          .length = sizeof from,
                          .threshold = PTL_MD_THRESH_INF,
                          .max_size = 0,
                          .options = 0,
                          .user_ptr = &retry,
                          .eq_handle = queue};
    ASSERT_EQ(PtlMDBind(interface, memory, PTL_RETAIN, &retry.descriptor), PTL_OK);
    ASSERT_EQ(PtlPut(retry.descriptor, PTL_ACK_REQ, {1, 1}, kPortal, 0, kBits, 0, 0), PTL_OK);
    EXPECT_NE(wait_for(queue, PTL_EVENT_ACK).ni_fail_type, static_cast<ptl_ni_fail_t>(PTL_NI_OK));
    EXPECT_EQ(wait_for(queue, PTL_EVENT_ACK).ni_fail_type, static_cast<ptl_ni_fail_t>(PTL_NI_OK));
  });
  stage.start(2, {.pid = 1}, [&](ptl_handle_ni_t interface) {
    const Window window(interface, to, sizeof to);
    wait_for(window.queue, PTL_EVENT_PUT_END);
  });
  stage.run();
  EXPECT_EQ(retry.failures, 1u);
  EXPECT_STREQ(to, "hello");
}

TEST(Registration, ThatFailsIsRefusedOnLinuxAndCannotHappenOnCatamount) {
  Stage stage({.faults = "registration=1000000"});
  const auto bind = [](ptl_handle_ni_t interface) {
    static char memory[10'000];
    const ptl_md_t wanted{.start = memory,
                          .length = sizeof memory,
                          .threshold = PTL_MD_THRESH_INF,
                          .max_size = 0,
                          .options = 0,
                          .user_ptr = nullptr,
                          .eq_handle = PTL_EQ_NONE};
    ptl_handle_md_t descriptor;
    return PtlMDBind(interface, wanted, PTL_RETAIN, &descriptor);
  };
  stage.start(0, {.bridge = BridgeKind::kUk, .pid = 1},
              [&](ptl_handle_ni_t interface) { EXPECT_EQ(bind(interface), PTL_VAL_FAILED); });
  stage.start(0, {.bridge = BridgeKind::kQk, .pid = 2},
              [&](ptl_handle_ni_t interface) { EXPECT_EQ(bind(interface), PTL_OK); });
  stage.start(0, {.bridge = BridgeKind::kK, .pid = 3},
              [&](ptl_handle_ni_t interface) { EXPECT_EQ(bind(interface), PTL_OK); });
  stage.run();
  EXPECT_EQ(stage.simulation().faults().count(FaultProbe::kRegistrationFailed), 1u);
}

/// Twenty puts into a window whose queue has room for `room` events. Answers what the first look at it says.
struct Filling {
  int first_look = PTL_OK;
  ptl_sr_value_t received = 0;
  ptl_sr_value_t lost = 0;
};
constexpr unsigned kPuts = 20;

Filling fill_queue(Stage& stage, std::size_t room) {
  Filling found;
  stage.start(0, {.pid = 1}, [&](ptl_handle_ni_t interface) {
    char memory[8] = {};
    const Source source(interface, memory, sizeof memory);
    stage.meet(2);
    for (unsigned i = 0; i < kPuts; ++i) {
      source.put({1, 1}, PTL_NO_ACK_REQ);
      // Events of its own may be lost too, so it does not wait for any.
      stage.simulation().host(0).compute(50 * sim::kMicrosecond);
    }
    stage.meet(2);
  });
  stage.start(1, {.pid = 1}, [&](ptl_handle_ni_t interface) {
    char memory[8];
    const Window window(interface, memory, sizeof memory, room);
    stage.meet(2);
    stage.meet(2);
    ptl_event_t event;
    found.first_look = PtlEQGet(window.queue, &event);
    EXPECT_EQ(PtlNIStatus(interface, PTL_SR_RECV_COUNT, &found.received), PTL_OK);
    EXPECT_EQ(PtlNIStatus(interface, PTL_SR_EVENT_LOST_COUNT, &found.lost), PTL_OK);
  });
  stage.run();
  return found;
}

TEST(EventQueue, ThatIsFullLosesEventsAndNothingElse) {
  Stage stage;
  const Filling found = fill_queue(stage, 4);
  EXPECT_EQ(found.first_look, PTL_EQ_DROPPED);
  EXPECT_EQ(found.received, kPuts);
  EXPECT_GT(found.lost, 0u);
}

TEST(EventQueue, ThatIsMadeFullByTheScenarioDoesTheSame) {
  Stage stage({.faults = "event-queue-full=200000"});
  const Filling found = fill_queue(stage, 256);
  EXPECT_EQ(found.received, kPuts);
  EXPECT_GT(found.lost, 0u);
  EXPECT_GT(stage.simulation().faults().count(FaultProbe::kEventQueueFull), 0u);
}

TEST(SlowNode, IsSlowerAndOtherwiseTheSame) {
  const auto took = [](const char* faults) {
    Stage stage({.faults = faults});
    checked_puts(stage, BridgeKind::kQk, 5);
    stage.run();
    return stage.simulation().engine().now();
  };
  EXPECT_GT(took("slow=1:400"), took("") * 3 / 2);
  EXPECT_GT(took("freeze=1:10us:2ms"), took("") + sim::kMillisecond);
}

}  // namespace
}  // namespace aqueduct::portals3::seastar::test
