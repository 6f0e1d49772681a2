// Messages that name the place of their payload: what lands where, and what must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "udp/two_ports.hpp"

namespace aqueduct::fabric::udp::test {
namespace {

constexpr auto kUntouched = std::byte{0x55};

/// Node 1 exposes the middle of its memory, and node 0 names places.
class UdpPlaces : public testing::Test {
 protected:
  static constexpr std::size_t kGuard = 4096;
  static constexpr std::size_t kExposed = 200'000;

  UdpPlaces() {
    two.ports[1]->expose({exposed(), kExposed});
    before = two.ports[1]->counters();
  }

  std::byte* exposed() { return memory.data() + kGuard; }
  std::uint64_t address(std::int64_t offset) {
    return reinterpret_cast<std::uint64_t>(exposed()) + static_cast<std::uint64_t>(offset);
  }
  static std::vector<std::byte> bytes(std::size_t count, int value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
  }

  bool send(const std::vector<std::byte>& payload, const Place& place, unsigned from = 0,
            Release release = Release::kWhenSent) {
    const Piece piece{const_cast<std::byte*>(payload.data()), payload.size()};
    return two.ports[from]->send_placed(1 - from, std::as_bytes(std::span("header")), {&piece, 1}, place,
                                        release, 3) == Post::kDone;
  }

  /// A datagram with one frame, as node 0 could send it, and which node 1 believes. `write` answers where the
  /// frame's data begin.
  template <class Write>
  std::vector<std::byte> datagram_of(std::size_t fixed_bytes, const std::vector<std::byte>& data,
                                     Write&& write) {
    std::vector<std::byte> datagram(kPacketHeadBytes + fixed_bytes + data.size() + Seal::kTagBytes);
    const auto size = static_cast<std::uint16_t>(datagram.size() - Seal::kTagBytes);
    const std::uint64_t number = next_number++;
    std::byte* const at = write(write_head(
        datagram.data(), {kPacketVersion, static_cast<std::uint8_t>(Plane{}), size, 5, 0, 1, number}));
    std::memcpy(at, data.data(), data.size());
    TestSeal().seal({0, 1, number}, datagram, kPacketHeadBytes);
    return datagram;
  }
  std::vector<std::byte> datagram_of(const PartFrame& frame, const std::vector<std::byte>& data) {
    return datagram_of(PartFrame::kFixedBytes, data,
                       [&](std::byte* at) { return write_part(at, frame, data.size(), false); });
  }
  template <class Write>
  void forge(std::size_t fixed_bytes, const std::vector<std::byte>& data, Write&& write) {
    come({datagram_of(fixed_bytes, data, write)});
  }
  void part(const PartFrame& frame, const std::vector<std::byte>& data) { come({datagram_of(frame, data)}); }
  /// Those of one size are handed over together, but for every fourth time.
  void come(const std::vector<std::vector<std::byte>>& datagrams) {
    for (const std::vector<std::byte>& datagram : datagrams) two.network.forge(0, 1, datagram);
    two.run_until([] { return false; }, 1'000'000);
  }
  /// A message of `count` parts of 50 bytes, of these values, one behind the other.
  std::vector<std::vector<std::byte>> run_of(std::uint32_t transfer, unsigned count, int value,
                                             std::uint64_t whole) {
    std::vector<std::vector<std::byte>> datagrams;
    for (unsigned i = 0; i < count; ++i)
      datagrams.push_back(datagram_of(to_exposed(transfer, std::uint64_t{i} * 50, whole), bytes(50, value)));
    return datagrams;
  }
  bool is_filled(std::size_t begin, std::size_t end, int value) {
    return std::all_of(exposed() + begin, exposed() + end,
                       [&](std::byte byte) { return byte == static_cast<std::byte>(value); });
  }
  /// Of a message without a header to the exposed memory.
  PartFrame to_exposed(std::uint32_t transfer, std::uint64_t offset, std::uint64_t whole,
                       std::int64_t where = 0) {
    PartFrame frame;
    frame.transfer = transfer;
    frame.offset = offset;
    frame.payload_bytes = whole;
    frame.place = {Place::Kind::kExposed, address(where)};
    return frame;
  }

  std::uint64_t moved(const char* counter) {
    std::uint64_t value = 0;
    const auto add = [&](std::uint64_t sign) {
      return [&value, counter, sign](const char* name, const char*, std::uint64_t count) {
        if (std::strcmp(name, counter) == 0) value += sign * count;
      };
    };
    two.ports[1]->counters().for_each(add(1));
    before.for_each(add(~std::uint64_t{0}));
    return value;
  }
  bool is_untouched() const {
    return std::all_of(memory.begin(), memory.end(), [](std::byte byte) { return byte == kUntouched; });
  }

  std::vector<std::byte> memory = std::vector<std::byte>(kExposed + 2 * kGuard, kUntouched);
  TwoPorts two;
  Counters before;
  std::uint64_t next_number = 0;
};

TEST_F(UdpPlaces, APayloadGoesAtOnceAndNobodyIsAsked) {
  two.network.cut(1, 0, ~std::uint64_t{0});  // an answer would not come
  const auto payload = bytes(kExposed, 7);
  ASSERT_TRUE(send(payload, {Place::Kind::kExposed, address(0)}));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  EXPECT_EQ(two.clients[1]->inline_payload, exposed());
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), exposed()));
}

TEST_F(UdpPlaces, ThirtyTwoKilobytesAndTheirAnswerAreTwoDatagramsWhereTheyFit) {
  Faults faults;
  faults.largest_datagram = 65507;
  TwoPorts wide(faults);
  std::vector<std::byte> here[2] = {bytes(32768, 0), bytes(32768, 0)};
  for (unsigned node = 0; node < 2; ++node) wide.ports[node]->expose({here[node].data(), here[node].size()});
  const auto payload = bytes(32768, 9);
  for (unsigned node = 0; node < 2; ++node) {
    const Piece piece{const_cast<std::byte*>(payload.data()), payload.size()};
    const Place place{Place::Kind::kExposed, reinterpret_cast<std::uint64_t>(here[1 - node].data())};
    ASSERT_EQ(wide.ports[node]->send_placed(1 - node, std::as_bytes(std::span("header")), {&piece, 1}, place,
                                            Release::kWhenSent, 1),
              Post::kDone);
    ASSERT_TRUE(wide.run_until([&] { return wide.clients[1 - node]->messages == 1; }));
  }
  EXPECT_EQ(wide.network.carried(), 2u);
}

TEST_F(UdpPlaces, APayloadThatIsReleasedAtReturnGoesAgainAsItWas) {
  two.network.cut(0, 1, kSecond);  // what goes first is lost
  auto payload = bytes(Place::kMostBuffered, 7);
  ASSERT_TRUE(send(payload, {Place::Kind::kExposed, address(0)}, 0, Release::kAtReturn));
  std::fill(payload.begin(), payload.end(), std::byte{8});
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  EXPECT_TRUE(
      std::all_of(exposed(), exposed() + payload.size(), [](std::byte b) { return b == std::byte{7}; }));
  EXPECT_EQ(two.ports[0]->counters().copied, 1u);
}

TEST_F(UdpPlaces, APayloadThatIsReleasedAtReturnWaitsAsItWasWhereTheSocketIsFull) {
  Faults faults;
  faults.no_room = 900'000;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TwoPorts full(faults, {}, true, false, seed);
    std::vector<std::byte> here = bytes(60'000, 0);
    full.ports[1]->expose({here.data(), here.size()});
    auto payload = bytes(here.size(), 7);
    const Piece pieces[] = {{payload.data(), 1000}, {payload.data() + 1000, payload.size() - 1000}};
    ASSERT_EQ(
        full.ports[0]->send_placed(1, std::as_bytes(std::span("header")), pieces,
                                   {Place::Kind::kExposed, reinterpret_cast<std::uint64_t>(here.data())},
                                   Release::kAtReturn, 1),
        Post::kDone);
    std::fill(payload.begin(), payload.end(), std::byte{8});
    ASSERT_TRUE(full.run_until([&] { return full.clients[1]->messages == 1; }));
    EXPECT_EQ(here, bytes(here.size(), 7)) << seed;
  }
}

TEST_F(UdpPlaces, PayloadsThatAreReleasedAtReturnAreBounded) {
  two.network.cut(0, 1, ~std::uint64_t{0});
  const auto payload = bytes(Place::kMostBuffered, 7);
  std::size_t copied = 0;
  while (send(payload, {Place::Kind::kExposed, address(0)}, 0, Release::kAtReturn)) copied += payload.size();
  EXPECT_LE(copied, LinkSettings().most_copied);
  EXPECT_GT(copied + payload.size(), LinkSettings().most_copied);
  EXPECT_TRUE(send(payload, {Place::Kind::kExposed, address(0)}, 0, Release::kWhenSent))
      << "it needs no copy";
}

TEST_F(UdpPlaces, APostedPlaceTakesOnePayloadOfItsNodeAndSize) {
  const std::uint64_t name = two.ports[1]->post(0, {exposed(), 50'000});
  ASSERT_NE(name, 0u);
  ASSERT_TRUE(send(bytes(50'000, 1), {Place::Kind::kPosted, name}));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  EXPECT_EQ(exposed()[49'999], std::byte{1});
  ASSERT_TRUE(send(bytes(50'000, 2), {Place::Kind::kPosted, name}));
  two.settle();
  EXPECT_EQ(two.clients[1]->messages, 1u);
  EXPECT_EQ(exposed()[0], std::byte{1});
  EXPECT_GT(moved("dropped_place"), 0u);
}

TEST_F(UdpPlaces, APostedPlaceTakesNoSecondPayloadWhileTheFirstArrives) {
  const std::uint64_t name = two.ports[1]->post(0, {exposed(), 100});
  PartFrame first = to_exposed(0, 0, 100), second = to_exposed(1, 0, 100);
  first.place = second.place = {Place::Kind::kPosted, name};
  part(first, bytes(60, 1));
  part(second, bytes(100, 2));
  EXPECT_EQ(moved("dropped_place"), 1u);
  EXPECT_EQ(two.clients[1]->messages, 0u);
  EXPECT_EQ(exposed()[0], std::byte{1});
  EXPECT_EQ(exposed()[99], kUntouched);
}

TEST_F(UdpPlaces, APostedPlaceIsNoOneElses) {
  const std::uint64_t name = two.ports[1]->post(1, {exposed(), 50'000});  // for node 1 itself
  ASSERT_TRUE(send(bytes(50'000, 1), {Place::Kind::kPosted, name}));
  two.settle();
  EXPECT_GT(moved("dropped_place"), 0u);
  EXPECT_TRUE(is_untouched());
}

TEST_F(UdpPlaces, APostedPlaceTakesNoOtherSize) {
  const std::uint64_t name = two.ports[1]->post(0, {exposed(), 50'000});
  ASSERT_TRUE(send(bytes(50'001, 1), {Place::Kind::kPosted, name}));
  two.settle();
  EXPECT_GT(moved("dropped_place"), 0u);
  EXPECT_TRUE(is_untouched());
}

TEST_F(UdpPlaces, APayloadWithoutAPlaceOfItsOwnComesInABufferThatStaysUntilTheAnswer) {
  two.clients[1]->answers = false;
  const auto payload = bytes(60'000, 4);
  ASSERT_TRUE(send(payload, {Place::Kind::kBuffer, 0}));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  std::vector<std::byte> taken(payload.size());
  const Piece where{taken.data(), taken.size()};
  two.ports[1]->accept(two.clients[1]->unanswered.front(), {&where, 1}, taken.size(), 1);
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->landings == 1; }));
  EXPECT_EQ(taken, payload);
  EXPECT_TRUE(is_untouched());
}

TEST_F(UdpPlaces, APayloadWithoutAPlaceStaysInTheMemoryThatItsDatagramCameIn) {
  two.clients[1]->answers = false;
  const auto payload = bytes(9'001, 4), other = bytes(9'001, 5);
  ASSERT_TRUE(send(payload, {Place::Kind::kBuffer, 0}));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  const std::byte* const first = two.clients[1]->inline_payload;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % PartFrame::kPayloadAlignment, 0u);
  // The socket receives into other memory from now on.
  ASSERT_TRUE(send(other, {Place::Kind::kBuffer, 0}));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 2; }));
  EXPECT_NE(two.clients[1]->inline_payload, first);
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), first));
  for (const std::uint64_t id : two.clients[1]->unanswered) two.ports[1]->discard(id);
}

// Eight payloads, of which the first four find hardly anything in flight.
class UdpCompany : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 16384;
  static constexpr unsigned kAtOnce = 4;

  UdpCompany() : two(wide()) { two.ports[1]->expose({here.data(), here.size()}); }
  static Faults wide() {
    Faults faults;
    faults.largest_datagram = 65507;
    return faults;
  }
  void send(unsigned count) {
    const std::vector<std::byte> payload(kBytes, std::byte{7});
    const Piece piece{const_cast<std::byte*>(payload.data()), payload.size()};
    const Place place{Place::Kind::kExposed, reinterpret_cast<std::uint64_t>(here.data())};
    for (unsigned i = 0; i < count; ++i) {
      ASSERT_EQ(two.ports[0]->send_placed(1, std::as_bytes(std::span("header")), {&piece, 1}, place,
                                          Release::kAtReturn, 1),
                Post::kDone);
    }
  }
  std::uint64_t sent() { return two.ports[0]->counters().datagrams_sent; }

  std::vector<std::byte> here = std::vector<std::byte>(kBytes);
  TwoPorts two;
};

TEST_F(UdpCompany, PayloadsOfMoreThanAFewDatagramsLeaveAsManyAsAKernelCutsAtOnce) {
  send(kAtOnce);
  EXPECT_EQ(sent(), kAtOnce);
  send(2);
  EXPECT_EQ(sent(), kAtOnce);
  send(1);
  EXPECT_EQ(sent(), kAtOnce + 3);
  EXPECT_EQ(two.ports[0]->counters().held, 3u);
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == kAtOnce + 3; }));
}

TEST_F(UdpCompany, APayloadThatWaitsForOthersGoesWhenItsClientWaits) {
  two.network.cut(1, 0, two.clock.now + kSecond);  // nothing is acknowledged
  send(kAtOnce + 1);
  EXPECT_EQ(sent(), kAtOnce);
  two.ports[0]->service();
  two.ports[0]->service();
  EXPECT_EQ(sent(), kAtOnce + 1);
}

TEST_F(UdpCompany, APayloadThatWaitsForOthersGoesWhenFewAreInFlight) {
  send(kAtOnce + 1);
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == kAtOnce + 1; }));
}

TEST_F(UdpCompany, APayloadThatNothingCanLeaveWithTakesThoseAlongThatWait) {
  send(kAtOnce + 1);
  const std::vector<std::byte> large(50'000, std::byte{8});
  const Piece piece{const_cast<std::byte*>(large.data()), large.size()};
  ASSERT_EQ(two.ports[0]->send_placed(1, std::as_bytes(std::span("header")), {&piece, 1},
                                      {Place::Kind::kBuffer, 0}, Release::kAtReturn, 1),
            Post::kDone);
  EXPECT_EQ(sent(), kAtOnce + 2);
}

TEST_F(UdpPlaces, NothingIsWrittenOutsideOfWhatIsExposed) {
  constexpr std::int64_t kEnd = kExposed;
  for (const std::int64_t where : {-1l, -4096l, kEnd, kEnd - 99, -static_cast<std::int64_t>(address(0)),
                                   -static_cast<std::int64_t>(address(0)) - 50}) {
    const std::uint64_t dropped = moved("dropped_place");
    part(to_exposed(0, 0, 100, where), bytes(100, 1));
    EXPECT_EQ(moved("dropped_place"), dropped + 1) << where;
  }
  // Neither by a part that is inside of a message that is not.
  part(to_exposed(0, 0, kExposed + 1), bytes(100, 1));
  EXPECT_EQ(moved("dropped_place"), 7u);
  EXPECT_TRUE(is_untouched());
  EXPECT_EQ(two.clients[1]->messages, 0u);
}

TEST_F(UdpPlaces, NothingIsWrittenWhereNothingIsExposed) {
  two.ports[1]->expose({});
  part(to_exposed(0, 0, 100), bytes(100, 1));
  EXPECT_EQ(moved("dropped_place"), 1u);
  EXPECT_TRUE(is_untouched());
}

TEST_F(UdpPlaces, ABufferIsNotLargerThanItMayBe) {
  PartFrame frame;
  frame.payload_bytes = Place::kMostBuffered + 1;
  part(frame, bytes(100, 1));
  EXPECT_EQ(moved("dropped_place"), 1u);
}

TEST_F(UdpPlaces, APartThatWasRefusedIsTakenWhenItsPlaceIsThere) {
  two.ports[1]->expose({});
  const auto payload = bytes(50'000, 1);
  ASSERT_TRUE(send(payload, {Place::Kind::kExposed, address(0)}));
  two.run_until([] { return false; }, 1'000'000);
  EXPECT_GT(moved("dropped_place"), 0u);
  two.ports[1]->expose({exposed(), kExposed});
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  EXPECT_EQ(exposed()[49'999], std::byte{1});
}

TEST_F(UdpPlaces, WhatOverlapsIsWrittenOnce) {
  part(to_exposed(0, 0, 100), bytes(60, 1));
  part(to_exposed(0, 40, 100), bytes(60, 2));
  EXPECT_EQ(two.clients[1]->messages, 1u);
  EXPECT_EQ(exposed()[59], std::byte{1});
  EXPECT_EQ(exposed()[60], std::byte{2});
  EXPECT_EQ(exposed()[100], kUntouched);
}

TEST_F(UdpPlaces, WhatComesTwiceOrLateIsCountedAndNotWritten) {
  part(to_exposed(0, 0, 100), bytes(60, 1));
  part(to_exposed(0, 0, 100), bytes(60, 2));  // twice
  part(to_exposed(0, 60, 100), bytes(40, 1));
  ASSERT_EQ(two.clients[1]->messages, 1u);
  part(to_exposed(0, 0, 100), bytes(100, 3));  // late
  EXPECT_EQ(moved("stale_parts"), 1u);
  EXPECT_EQ(two.clients[1]->messages, 1u);
  EXPECT_EQ(exposed()[0], std::byte{1});
}

TEST_F(UdpPlaces, PartsOfAMessageSayTheSame) {
  part(to_exposed(0, 0, 100), bytes(10, 1));
  part(to_exposed(0, 10, 101), bytes(10, 2));
  part(to_exposed(0, 10, 100, 1), bytes(10, 2));
  PartFrame with_header = to_exposed(0, 10, 100);
  with_header.header_bytes = 8;
  part(with_header, bytes(10, 2));
  EXPECT_EQ(moved("dropped_malformed"), 3u);
  EXPECT_EQ(exposed()[10], kUntouched);
}

TEST_F(UdpPlaces, APartBehindTheEndOfItsMessageIsMalformed) {
  part(to_exposed(0, 50, 100), bytes(51, 1));
  part(to_exposed(0, ~std::uint64_t{0} - 10, 100), bytes(20, 1));
  PartFrame frame = to_exposed(0, 0, 100);
  frame.header_bytes = kMaxHeader + 1;
  part(frame, bytes(10, 1));
  EXPECT_EQ(moved("dropped_malformed"), 3u);
  EXPECT_TRUE(is_untouched());
}

TEST_F(UdpPlaces, PartsThatComeTogetherLandTogether) {
  for (unsigned round = 0; round < 4; ++round) {
    const int value = 1 + static_cast<int>(round);
    come(run_of(round, 40, value, 2000));
    EXPECT_EQ(two.clients[1]->messages, round + 1);
    EXPECT_TRUE(is_filled(0, 2000, value));
    EXPECT_EQ(exposed()[2000], kUntouched);
  }
  EXPECT_EQ(moved("datagrams_received"), 160u);
  EXPECT_EQ(moved("stale_parts"), 0u);
}

TEST_F(UdpPlaces, OneThatIsForgedAmongThoseThatComeTogetherIsNotWritten) {
  for (unsigned round = 0; round < 4; ++round) {
    const int value = 1 + static_cast<int>(round);
    auto datagrams = run_of(round, 40, value, 2000);
    const auto authentic = datagrams[13];
    datagrams[13][kPacketHeadBytes + PartFrame::kFixedBytes + 7] ^= std::byte{1};
    std::fill_n(exposed(), 2000, kUntouched);
    come(datagrams);
    EXPECT_EQ(moved("dropped_forged"), round + 1);
    EXPECT_EQ(moved("datagrams_received"), 40 * round + 39);
    EXPECT_EQ(two.clients[1]->messages, round);
    EXPECT_TRUE(is_filled(0, 650, value));
    EXPECT_TRUE(is_filled(700, 2000, value));
    EXPECT_EQ(std::count(exposed() + 650, exposed() + 700, kUntouched), 50);
    come({authentic});
    EXPECT_EQ(two.clients[1]->messages, round + 1);
  }
}

TEST_F(UdpPlaces, WhatWasThereIsNotWrittenAgainByPartsThatComeTogether) {
  for (unsigned round = 0; round < 4; ++round) {
    part(to_exposed(round, 120, 2000), bytes(60, 99));
    std::vector<std::vector<std::byte>> datagrams;
    for (int i = 0; i < 40; ++i)
      datagrams.push_back(
          datagram_of(to_exposed(round, static_cast<std::uint64_t>(i) * 50, 2000), bytes(50, i)));
    come(datagrams);
    EXPECT_EQ(two.clients[1]->messages, round + 1);
    for (std::size_t at = 0; at < 2000; ++at) {
      const std::size_t wanted = at >= 120 && at < 180 ? 99 : at / 50;
      ASSERT_EQ(exposed()[at], static_cast<std::byte>(wanted)) << at;
    }
  }
}

TEST_F(UdpPlaces, PartsThatComeTogetherMayBelongToSeveralMessagesAndEndBehindOne) {
  for (unsigned round = 0; round < 4; ++round) {
    const std::uint32_t transfer = 2 * round;
    std::fill_n(exposed(), 3000, kUntouched);
    auto datagrams = run_of(transfer, 20, 1, 1000);
    auto more = run_of(transfer + 1, 30, 2, 1450);
    more.erase(more.begin() + 4);
    std::move(more.begin(), more.end(), std::back_inserter(datagrams));
    come(datagrams);
    EXPECT_EQ(two.clients[1]->messages, 2 * round + 1);
    EXPECT_EQ(moved("dropped_malformed"), round + 1);  // the last one, behind the end
    EXPECT_TRUE(is_filled(0, 200, 2));
    EXPECT_TRUE(is_filled(200, 250, 1));
    EXPECT_TRUE(is_filled(250, 1450, 2));
    EXPECT_EQ(exposed()[1450], kUntouched);
    part(to_exposed(transfer + 1, 200, 1450), bytes(50, 3));
    EXPECT_EQ(two.clients[1]->messages, 2 * round + 2);
  }
}

TEST_F(UdpPlaces, PartsThatComeTogetherForTheSecondTimeAreDuplicates) {
  for (unsigned round = 0; round < 4; ++round) {
    const auto datagrams = run_of(round, 40, 1, 2000);
    come(datagrams);
    come(datagrams);
    EXPECT_EQ(moved("dropped_duplicate"), 40 * (round + 1));
    EXPECT_EQ(two.clients[1]->messages, round + 1);
  }
}

// Payloads without a place: their target asks for them.
TEST_F(UdpPlaces, APartOfAnAskedForPayloadBehindItsEndIsMalformed) {
  two.network.cut(1, 0, ~std::uint64_t{0});  // node 0 does not hear that it may send the payload
  auto payload = bytes(10'000, 7);
  ASSERT_TRUE(two.send(0, "large", &payload));
  ASSERT_TRUE(two.run_until([&] { return two.clients[1]->messages == 1; }));
  next_number = 100;  // none of those that node 0 uses
  const auto bulk = [&](std::uint64_t offset, std::size_t count) {
    forge(BulkFrame::kFixedBytes, bytes(count, 7),
          [&](std::byte* at) { return write_bulk(at, 0, offset, count, false); });
  };
  bulk(9990, 11);
  EXPECT_EQ(moved("dropped_malformed"), 1u);
  EXPECT_EQ(two.clients[1]->memory.back(), std::byte{0});
  for (std::uint64_t offset = 0; offset < payload.size(); offset += 1000) bulk(offset, 1000);
  EXPECT_EQ(two.clients[1]->landings, 1u);
  EXPECT_EQ(two.clients[1]->memory, payload);
}

TEST_F(UdpPlaces, MoreThanThereIsIsNotSent) {
  two.clients[0]->answers = false;
  auto payload = bytes(10'000, 7);
  ASSERT_TRUE(two.send(1, "large", &payload));
  ASSERT_TRUE(two.run_until([&] { return two.clients[0]->messages == 1; }));
  next_number = 100;
  std::uint64_t offset = 0;
  const auto ask_for = [&](std::uint64_t keep_bytes) {
    std::vector<std::byte> record(ControlRecord::kBytes);
    write_control(record.data(), {0, keep_bytes});
    forge(StreamFrame::kFixedBytes, record,
          [&](std::byte* at) { return write_stream(at, FrameType::kControl, offset, record.size()); });
    offset += record.size();
  };
  ask_for(10'001);
  EXPECT_EQ(moved("dropped_malformed"), 1u);
  EXPECT_EQ(two.clients[1]->sends, 0u);
  ask_for(10'000);
  EXPECT_EQ(moved("dropped_malformed"), 1u);
  EXPECT_TRUE(two.run_until([&] { return two.clients[1]->sends == 1; }));
}

TEST_F(UdpPlaces, AMessageFartherAheadThanASenderCanBeIsDropped) {
  part(to_exposed(ArrivingMessages::kMostSpan, 0, 100), bytes(50, 1));
  EXPECT_EQ(moved("dropped_room"), 1u);
  EXPECT_TRUE(is_untouched());
  part(to_exposed(ArrivingMessages::kMostSpan - 1, 0, 100), bytes(100, 1));
  EXPECT_EQ(two.clients[1]->messages, 1u);
}

TEST_F(UdpPlaces, ANodeThatWasGivenUpWritesNothingMore) {
  LinkSettings links;
  links.give_up_ns = kSecond;
  TwoPorts given_up({}, links);
  given_up.ports[1]->expose({exposed(), kExposed});
  std::vector<std::byte> datagram;
  given_up.network.overhears = [&](unsigned from, unsigned, const std::vector<std::byte>& carried) {
    if (from == 0) datagram = carried;
  };
  given_up.network.cut(0, 1, ~std::uint64_t{0});
  const auto payload = bytes(1000, 1);
  const Piece piece{const_cast<std::byte*>(payload.data()), payload.size()};
  ASSERT_EQ(given_up.ports[0]->send(1, std::as_bytes(std::span("late")), {&piece, 1}, 1), Post::kDone);
  ASSERT_TRUE(given_up.send(1, "are you there"));
  ASSERT_TRUE(given_up.run_until([&] { return !given_up.clients[1]->lost_nodes.empty(); }));
  given_up.network.forge(0, 1, datagram);
  given_up.settle();
  EXPECT_EQ(given_up.ports[1]->counters().dropped_gone, 1u);
  EXPECT_EQ(given_up.clients[1]->messages, 0u);
  EXPECT_TRUE(is_untouched());
}

TEST_F(UdpPlaces, ManyMessagesOneAfterTheOtherEndAllOfThem) {
  // More than the numbers that may be under way at once: none of them stays behind.
  constexpr unsigned kMessages = 3 * ArrivingMessages::kMostSpan;
  const auto payload = bytes(9000, 1);
  auto asked_for = payload;
  ASSERT_TRUE(two.send(0, "large", &asked_for));  // it has a number of the same row
  unsigned sent = 0;
  ASSERT_TRUE(two.run_until([&] {
    while (sent < kMessages && send(payload, {Place::Kind::kExposed, address(0)})) ++sent;
    return two.clients[1]->messages == 1 + kMessages;
  }));
}

TEST(UdpPort, ASenderThatWaitsForRoomAsksLessAndLessOften) {
  LinkSettings links;
  links.message_window = std::size_t{16} << 10;
  TwoPorts two({}, links);
  two.clients[1]->answers = false;
  while (two.send(0, std::string(100, 'x'))) two.run_until([] { return false; }, 1000);
  two.run_until([] { return false; }, 10 * kSecond);
  const std::uint64_t asked = two.ports[0]->counters().room_closed;
  EXPECT_GT(asked, 50u);  // each 100 ms or so: the update of its room may be lost
  EXPECT_LT(asked, 400u);
}

}  // namespace
}  // namespace aqueduct::fabric::udp::test
