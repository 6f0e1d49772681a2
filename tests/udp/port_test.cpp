// Ports over a simulated network that does exactly what a test says.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "udp/two_ports.hpp"

namespace aqueduct::fabric::udp::test {
namespace {

TEST(UdpPort, WhatIsLostInTheEndGoesAgainBeforeTheNodeLeaves) {
  TwoPorts two;
  two.network.cut(0, 1, two.clock.now + 1'000'000);
  ASSERT_TRUE(two.send(0, "last words"));
  EXPECT_LT(two.leave(kSecond), kSecond / 10);
  EXPECT_EQ(two.clients[1]->messages, 1u);
}

TEST(UdpPort, ANodeThatLeavesDoesNotWaitLongForOneThatIsGone) {
  TwoPorts two;
  two.network.cut(0, 1, ~std::uint64_t{0});
  ASSERT_TRUE(two.send(0, "anybody there"));
  const std::uint64_t taken = two.leave(10 * kSecond);
  EXPECT_GT(taken, kSecond / 100);
  EXPECT_LT(taken, kSecond);
}

TEST(UdpPort, ANodeThatOwesNothingLeavesAtOnce) {
  TwoPorts two;
  ASSERT_TRUE(two.send(0, "hello"));
  two.settle();
  EXPECT_LT(two.leave(kSecond), kSecond / 1000);
}

TEST(UdpPort, AMessageThatIsAloneGoesAtOnceInOneDatagram) {
  TwoPorts two;
  ASSERT_TRUE(two.send(0, "hello"));
  EXPECT_EQ(two.ports[0]->counters().datagrams_sent, 1u);
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  EXPECT_EQ(two.clients[1]->source, 0u);
}

TEST(UdpPort, RequestsAndRepliesNeedNoOtherDatagrams) {
  TwoPorts two;
  constexpr unsigned kRounds = 200;
  for (unsigned i = 1; i <= kRounds; ++i) {
    ASSERT_TRUE(two.send(0, "request"));
    ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == i; }));
    ASSERT_TRUE(two.send(1, "reply"));
    ASSERT_TRUE(two.run_until([&] { return two.clients[0]->messages == i; }));
  }
  EXPECT_EQ(two.network.carried(), 2 * kRounds);
}

TEST(UdpPort, MessagesThatQueueShareDatagrams) {
  TwoPorts two;
  constexpr unsigned kMessages = 1000;
  for (unsigned i = 0; i < kMessages; ++i) ASSERT_TRUE(two.send(0, "a short message"));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == kMessages; }));
  EXPECT_LT(two.ports[0]->counters().datagrams_sent, kMessages / 20);
}

TEST(UdpPort, AMessageThatWaitsForCompanyGoesWhenItsClientWaits) {
  TwoPorts two;
  for (unsigned i = 0; i < 10; ++i) ASSERT_TRUE(two.send(0, "m"));
  two.network.cut(1, 0, two.clock.now + kSecond);  // nothing is acknowledged
  two.ports[0]->service();
  two.ports[0]->service();
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 10; }, 100'000));
}

TEST(UdpPort, AReceiverThatDoesNotAnswerStopsItsSenderAndNobodyElse) {
  LinkSettings links;
  links.message_window = std::size_t{16} << 10;
  TwoPorts two({}, links);
  two.clients[1]->answers = false;
  unsigned sent = 0;
  for (; sent < 100'000 && two.send(0, std::string(100, 'x')); ++sent)
    two.run_until([] { return false; }, 1000);
  two.settle();
  EXPECT_LT(sent, 1000u);
  // The other direction is open, also for larger payloads.
  std::vector<std::byte> payload(100'000);
  ASSERT_TRUE(two.send(1, "large", &payload));
  ASSERT_TRUE(two.run_until([&] { return two.clients[0]->landings == 1; }));
  EXPECT_GT(two.ports[0]->counters().room_closed, 0u);
  for (const std::uint64_t id : two.clients[1]->unanswered) two.ports[1]->discard(id);
  two.clients[1]->answers = true;
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == sent; }));
}

TEST(UdpPort, APeerThatStaysSilentIsGivenUpWithAllThatWasOnItsWay) {
  LinkSettings links;
  links.give_up_ns = 5 * kSecond;
  TwoPorts two({}, links);
  ASSERT_TRUE(two.send(0, "first"));
  two.settle();
  two.network.cut(0, 1, ~std::uint64_t{0});
  two.network.cut(1, 0, ~std::uint64_t{0});
  const std::uint64_t begin = two.clock.now;
  std::vector<std::byte> payload(100'000);
  ASSERT_TRUE(two.send(0, "small", nullptr, 11));
  ASSERT_TRUE(two.send(0, "large", &payload, 12));
  ASSERT_TRUE(two.run_until([&] { return !two.clients[0]->lost_nodes.empty(); }));
  EXPECT_GE(two.clock.now - begin, 5 * kSecond);
  EXPECT_LT(two.clock.now - begin, 8 * kSecond);
  EXPECT_EQ(two.clients[0]->lost_nodes, std::vector<NodeId>{1});
  EXPECT_EQ(two.clients[0]->given_up, (std::vector<std::uint64_t>{11, 12}));
  EXPECT_EQ(two.clients[0]->headers, (std::vector<std::string>{"small", "large"}));
  EXPECT_EQ(two.clients[0]->sends, 3u);
  EXPECT_EQ(two.ports[0]->counters().timeouts, 1u);
  const Silence silence = two.ports[0]->silence(1);
  EXPECT_GE(silence.ns, 5 * kSecond);
  EXPECT_LT(silence.ns, 8 * kSecond);
  EXPECT_STREQ(silence.setting, "AQUEDUCT_UDP_TIMEOUT");
  EXPECT_FALSE(silence.address.empty());
  // And so is what is sent later.
  ASSERT_TRUE(two.send(0, "late", nullptr, 13));
  ASSERT_TRUE(two.run_until([&] { return two.clients[0]->given_up.size() == 3; }));
}

TEST(UdpPort, APeerThatStaysSilentIsGivenUpAlsoWhereOnlyItsRoomIsAwaited) {
  LinkSettings links;
  links.give_up_ns = 5 * kSecond;
  links.message_window = std::size_t{16} << 10;
  TwoPorts two({}, links);
  two.clients[1]->answers = false;
  while (two.send(0, std::string(100, 'x'))) two.run_until([] { return false; }, 1000);
  two.settle();
  // It answers probes, and has no room for twice as long as a silent peer would have.
  two.run_until([] { return false; }, 10 * kSecond);
  EXPECT_GT(two.ports[0]->counters().room_closed, 0u);
  ASSERT_TRUE(two.clients[0]->lost_nodes.empty());
  two.network.cut(1, 0, ~std::uint64_t{0});
  const std::uint64_t begin = two.clock.now;
  ASSERT_TRUE(two.run_until([&] { return !two.clients[0]->lost_nodes.empty(); }));
  EXPECT_GE(two.clock.now - begin, 4 * kSecond);  // the last answer came up to a second before
  EXPECT_LT(two.clock.now - begin, 8 * kSecond);
}

TEST(UdpPort, APayloadOfWhichAPartHasComeHasBrokenOffWhenItsPeerIsGivenUp) {
  LinkSettings links;
  links.give_up_ns = 5 * kSecond;
  TwoPorts two({}, links);
  std::vector<std::byte> payload(std::size_t{4} << 20, std::byte{1});
  ASSERT_TRUE(two.send(0, "large", &payload));
  const auto has_begun = [&] {
    const std::vector<std::byte>& memory = two.clients[1]->memory;
    return !memory.empty() && memory.front() == std::byte{1};
  };
  ASSERT_TRUE(two.run_until(has_begun));
  ASSERT_EQ(two.clients[1]->landings, 0u);
  two.network.cut(0, 1, ~std::uint64_t{0});
  two.network.cut(1, 0, ~std::uint64_t{0});
  ASSERT_TRUE(two.send(1, "to learn that nobody is there"));
  ASSERT_TRUE(two.run_until([&] { return !two.clients[1]->lost_nodes.empty(); }));
  EXPECT_EQ(two.clients[1]->landings, 0u);
  EXPECT_EQ(two.clients[1]->broken, 1u);
}

TEST(UdpPort, APayloadThatIsAcceptedWhenItsPeerWasGivenUpHasBrokenOff) {
  LinkSettings links;
  links.give_up_ns = kSecond;
  TwoPorts two({}, links);
  two.clients[1]->answers = false;
  std::vector<std::byte> payload(100'000), memory(payload.size());
  ASSERT_TRUE(two.send(0, "large", &payload));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  two.network.cut(0, 1, ~std::uint64_t{0});
  two.network.cut(1, 0, ~std::uint64_t{0});
  ASSERT_TRUE(two.send(1, "to learn that nobody is there"));
  ASSERT_TRUE(two.run_until([&] { return !two.clients[1]->lost_nodes.empty(); }));
  const Piece where{memory.data(), memory.size()};
  two.ports[1]->accept(two.clients[1]->unanswered.at(0), {&where, 1}, memory.size(), 7);
  EXPECT_TRUE(two.run_until([&] { return two.clients[1]->broken == 1; }, kSecond));
  EXPECT_EQ(two.clients[1]->landings, 0u);
}

TEST(UdpPort, APeerThatIsHeardButAcknowledgesNothingIsGivenUp) {
  LinkSettings links;
  links.give_up_ns = 5 * kSecond;
  TwoPorts two({}, links);
  two.network.cut(0, 1, ~std::uint64_t{0});
  const std::uint64_t begin = two.clock.now;
  ASSERT_TRUE(two.send(0, "never comes"));
  two.run_until([] { return false; }, 3 * kSecond);
  ASSERT_TRUE(two.send(1, "comes, and goes again because nothing acknowledges it"));
  ASSERT_TRUE(two.run_until([&] { return !two.clients[0]->lost_nodes.empty(); }));
  EXPECT_EQ(two.clients[0]->messages, 1u);
  EXPECT_GE(two.clock.now - begin, 5 * kSecond);
  EXPECT_LT(two.clock.now - begin, 8 * kSecond);
}

TEST(UdpPort, ProbesOfAPathThatLosesHalfOfThemEnd) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Faults faults;
    faults.every_second = true;
    TwoPorts two(faults, {}, true, false, seed);
    for (std::uint64_t i = 0; i < seed % 5; ++i) ASSERT_TRUE(two.send(0, "to the other"));
    ASSERT_EQ(two.ports[0]->send(0, std::as_bytes(std::span("to itself")), {}, 0), Post::kDone);
    ASSERT_TRUE(two.run_until([&] { return two.clients[0]->messages == 1; }));
    two.run_until([] { return false; }, 10 * kSecond);
    const std::uint64_t probes = two.ports[0]->counters().probes;
    two.run_until([] { return false; }, 60 * kSecond);
    ASSERT_EQ(two.ports[0]->counters().probes, probes) << "seed " << seed;
  }
}

TEST(UdpPort, ANodeThatWasStoppedDoesNotGiveOthersUpForIt) {
  LinkSettings links;
  links.give_up_ns = 5 * kSecond;
  TwoPorts two({}, links);
  two.network.cut(0, 1, two.clock.now + 1000);
  ASSERT_TRUE(two.send(0, "lost"));
  two.clock.now += 1000 * kSecond;  // nobody has looked meanwhile
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  EXPECT_TRUE(two.clients[0]->lost_nodes.empty());
}

TEST(UdpPort, WithoutASealTheAddressMustBeTheSenders) {
  TwoPorts two({}, {}, false);
  ASSERT_TRUE(two.send(0, "hello"));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
}

std::uint64_t time_for_megabytes(std::uint32_t loss, unsigned megabytes, std::size_t largest_datagram) {
  Faults faults;
  faults.loss = loss;
  faults.largest_datagram = largest_datagram;
  faults.receive_room = std::size_t{4} << 20;
  TwoPorts two(faults);
  std::vector<std::byte> payload(std::size_t{1} << 20);
  const std::uint64_t begin = two.clock.now;
  unsigned sent = 0;
  const bool is_done = two.run_until([&] {
    while (sent < megabytes && sent - two.clients[1]->landings < 8 && two.send(0, "m", &payload)) ++sent;
    return two.clients[1]->landings == megabytes;
  });
  EXPECT_TRUE(is_done);
  return two.clock.now - begin;
}

TEST(UdpPort, OnePercentOfLossCostsLessThanThirtyPercentOfThroughput) {
  for (const std::size_t largest : {std::size_t{1472}, std::size_t{8972}}) {
    const auto whole = static_cast<double>(time_for_megabytes(0, 100, largest));
    const auto lossy = static_cast<double>(time_for_megabytes(10'000, 100, largest));
    std::printf("  %zu bytes a datagram: %.2f GB/s, with 1 %% loss %.2f GB/s\n", largest, 104857600 / whole,
                104857600 / lossy);
    EXPECT_LT(whole / lossy, 1.01);
    EXPECT_GT(whole / lossy, 0.7);
  }
}

/// What strangers send to node 1, which has had a message of node 0.
class UdpCounters : public testing::Test {
 protected:
  UdpCounters() {
    two.network.overhears = [this](unsigned from, unsigned, const std::vector<std::byte>& bytes) {
      if (from == 0) overheard = bytes;
    };
    EXPECT_TRUE(two.send(0, "hello"));
    two.settle();
    before = two.ports[1]->counters();
  }

  void forge(const std::vector<std::byte>& datagram) {
    two.network.forge(0, 1, datagram);
    two.settle();
  }
  /// One that node 0 could have sent: a ping under this number.
  std::vector<std::byte> authentic(std::uint64_t number) {
    std::vector<std::byte> datagram(kPacketHeadBytes + 1 + Seal::kTagBytes);
    write_ping(write_head(datagram.data(), {kPacketVersion, static_cast<std::uint8_t>(Plane{}),
                                            kPacketHeadBytes + 1, 5, 0, 1, number}));
    TestSeal().seal({0, 1, number}, datagram, kPacketHeadBytes);
    return datagram;
  }
  /// What has moved since, by name.
  std::string moved() {
    std::map<std::string, std::uint64_t> values;
    before.for_each([&](const char* name, const char*, std::uint64_t value) { values[name] = value; });
    std::string text;
    two.ports[1]->counters().for_each([&](const char* name, const char*, std::uint64_t value) {
      if (value != values[name]) text += std::string(name) + "+" + std::to_string(value - values[name]) + " ";
    });
    return text;
  }

  static Faults unknown_sizes() {
    Faults faults;
    faults.hides_sizes = true;
    return faults;
  }
  TwoPorts two{unknown_sizes()};
  std::vector<std::byte> overheard;
  Counters before;
};

TEST_F(UdpCounters, CountGarbageOnce) {
  forge(std::vector<std::byte>(1000));
  EXPECT_EQ(moved(), "dropped_short+1 ");
}

TEST_F(UdpCounters, CountWhatIsShorterThanAHeadOnce) {
  forge(std::vector<std::byte>(kPacketHeadBytes - 1, std::byte{1}));
  EXPECT_EQ(moved(), "dropped_short+1 ");
}

TEST_F(UdpCounters, CountWhatIsCutOnce) {
  overheard.resize(overheard.size() - 1);
  forge(overheard);
  EXPECT_EQ(moved(), "dropped_short+1 ");
}

TEST_F(UdpCounters, DoNotTakeAForgeryForADuplicate) {
  overheard.back() ^= std::byte{1};
  forge(overheard);
  EXPECT_EQ(moved(), "dropped_forged+1 ");
  EXPECT_EQ(two.clients[1]->twice, 0u);
}

TEST_F(UdpCounters, DoNotTakeAForgeryForAnOldNumber) {
  for (std::uint64_t number = 4000; number <= 12'000; number += 4000) forge(authentic(number));
  before = two.ports[1]->counters();
  overheard.back() ^= std::byte{1};
  forge(overheard);
  EXPECT_EQ(moved(), "dropped_forged+1 ");
}

TEST_F(UdpCounters, DoNotTakeAForgeryForANumberTooFarAhead) {
  std::vector<std::byte> far = authentic(std::uint64_t{1} << 40);
  far.back() ^= std::byte{1};
  forge(far);
  EXPECT_EQ(moved(), "dropped_forged+1 ");
}

// Node 1 numbers its datagrams from 0 on.
TEST_F(UdpCounters, CountAnAcknowledgementOfWhatWasNeverSentAsMalformed) {
  AckFrame ack;
  ack.largest = two.ports[1]->counters().datagrams_sent;
  ack.runs = 1;
  ack.run[0].run = 1;
  std::vector<std::byte> datagram(kPacketHeadBytes + ack.bytes() + Seal::kTagBytes);
  const auto size = static_cast<std::uint16_t>(datagram.size() - Seal::kTagBytes);
  write_ack(
      write_head(datagram.data(), {kPacketVersion, static_cast<std::uint8_t>(Plane{}), size, 5, 0, 1, 1000}),
      ack);
  TestSeal().seal({0, 1, 1000}, datagram, kPacketHeadBytes);
  forge(datagram);
  EXPECT_EQ(moved(), "dropped_malformed+1 ");
}

TEST_F(UdpCounters, CountWhatComesAgain) {
  forge(overheard);
  EXPECT_EQ(moved(), "dropped_duplicate+1 ");
  EXPECT_EQ(two.clients[1]->twice, 1u);
}

TEST_F(UdpCounters, CountANumberThatIsTooOld) {
  for (std::uint64_t number = 4000; number <= 12'000; number += 4000) forge(authentic(number));
  before = two.ports[1]->counters();
  forge(overheard);
  EXPECT_EQ(moved(), "dropped_old+1 ");
}

TEST_F(UdpCounters, CountANumberTooFarAheadAsThat) {
  forge(authentic(std::uint64_t{1} << 40));
  EXPECT_EQ(moved(), "dropped_far+1 ");
}

TEST(UdpPort, ALinkThatWasBusyGivesItsBuffersBack) {
  Faults faults;
  faults.loss = 50'000;
  TwoPorts two(faults);
  std::vector<std::byte> payload(8'000), large(100'000);
  for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(two.send(0, "small", &payload));
  ASSERT_TRUE(two.send(0, "large", &large));
  EXPECT_GT(two.ports[0]->link_memory().bytes, 20 * payload.size());
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->landings == 21; }));
  two.settle();
  for (const auto& port : two.ports) {
    EXPECT_EQ(port->link_memory().links, 1u);
    // What stays are ranges of numbers, and datagrams taken for lost that may still come.
    constexpr std::size_t kLittle = 4096;
    EXPECT_LT(port->link_memory().bytes, UdpPort::peer_bytes() + kLittle);
  }
  ASSERT_TRUE(two.send(0, "again", &payload));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->landings == 22; }));
}

TEST(UdpPort, ANodeThatLeavesSaysItsCountersOnce) {
  std::string said;
  {
    TwoPorts two({}, {}, true, true);
    ASSERT_TRUE(two.send(0, "hello"));
    two.settle();
    testing::internal::CaptureStderr();
    two.leave(kSecond);  // gasnet_exit
    two.leave(kSecond);  // and what runs at exit
    two.ports[0].reset();
    said = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
  }
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(said, "udp: rank 0: datagrams_sent=1 datagrams_received=1 messages_sent=1 links=1 link_bytes=" +
                      std::to_string(UdpPort::peer_bytes()) + "\n");
}

/// Requests and replies, each after the one before, some with a larger payload; then node 0 leaves with a
/// last word. The path loses half of all datagrams, in each direction.
void converse_over_half_a_path(const Faults& faults, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  TwoPorts two(faults, {}, true, false, seed);
  constexpr unsigned kRounds = 30;
  std::vector<std::byte> payload(20'000);
  for (unsigned i = 1; i <= kRounds; ++i) {
    ASSERT_TRUE(two.send(0, "request", i % 3 == 0 ? &payload : nullptr));
    ASSERT_TRUE(
        two.run_until([&] { return two.clients[1]->messages == i && two.clients[1]->landings == i / 3; }));
    ASSERT_TRUE(two.send(1, "reply"));
    ASSERT_TRUE(two.run_until([&] { return two.clients[0]->messages == i; }));
  }
  ASSERT_TRUE(two.send(0, "last word"));
  two.leave(kSecond);
  ASSERT_EQ(two.clients[1]->messages, kRounds + 1);
  ASSERT_TRUE(two.clients[0]->lost_nodes.empty() && two.clients[1]->lost_nodes.empty());
}

TEST(UdpPort, APathThatLosesHalfOfAllDatagramsCarriesAJobToItsEnd) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Faults faults;
    faults.loss = 500'000;
    converse_over_half_a_path(faults, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(UdpPort, APathThatLosesEverySecondDatagramCarriesAJobToItsEnd) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Faults faults;
    faults.every_second = true;
    faults.jitter_ns = seed * 100;
    converse_over_half_a_path(faults, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(UdpPort, ThirtyPercentOfLossStillCompletes) { time_for_megabytes(300'000, 10, 8972); }

}  // namespace
}  // namespace aqueduct::fabric::udp::test
