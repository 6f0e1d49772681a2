// The parts of the UDP fabric by themselves: forms, sets, numbers, streams.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "fabric/udp/packet.hpp"
#include "fabric/udp/peer_table.hpp"
#include "fabric/udp/range_set.hpp"
#include "fabric/udp/receive_stream.hpp"
#include "fabric/udp/received_numbers.hpp"
#include "fabric/udp/round_trip.hpp"
#include "fabric/udp/send_stream.hpp"
#include "fabric/udp/sent_packets.hpp"

namespace aqueduct::fabric::udp {
namespace {

using Bytes = std::vector<std::byte>;

Bytes datagram_with_everything() {
  Bytes bytes(400);
  std::byte* at = bytes.data();
  AckFrame ack;
  ack.largest = 1000;
  ack.message_room = 77;
  ack.flight_room = 88;
  ack.delay = 9;
  ack.runs = 2;
  ack.run[0] = {0, 3};
  ack.run[1] = {2, 10};
  at = write_ack(at, ack);
  at = write_stream(at, FrameType::kMessages, 5, 20) + 20;
  at = write_stream(at, FrameType::kControl, 6, 16) + 16;
  at = write_ping(at);
  at = write_bulk(at, 12, 13, 30, false) + 30;
  bytes.resize(static_cast<std::size_t>(at - bytes.data()));
  return bytes;
}

TEST(Packet, SaysWhatWasWritten) {
  const Bytes bytes = datagram_with_everything();
  Frames frames;
  ASSERT_TRUE(decode_frames(bytes, &frames));
  EXPECT_TRUE(frames.has_ack && frames.has_messages && frames.has_control && frames.has_bulk &&
              frames.has_ping);
  EXPECT_EQ(frames.ack.largest, 1000u);
  EXPECT_EQ(frames.ack.message_room, 77u);
  EXPECT_EQ(frames.ack.flight_room, 88u);
  EXPECT_EQ(frames.ack.run[1].gap, 2u);
  EXPECT_EQ(frames.messages.offset, 5u);
  EXPECT_EQ(frames.messages.data.size(), 20u);
  EXPECT_EQ(frames.bulk.transfer, 12u);
  EXPECT_EQ(frames.bulk.offset, 13u);
  EXPECT_EQ(frames.bulk.data.size(), 30u);
}

TEST(Packet, OfAnotherPartDiffersInItsNumberAndItsOffsetAlone) {
  const auto written = [](std::uint64_t number, std::uint64_t offset) {
    Bytes bytes(kPacketHeadBytes + PartFrame::kFixedBytes + 50);
    std::byte* const part = write_head(bytes.data(), {.job = 5, .sender = 1, .target = 2, .number = number});
    write_part(part, {7, offset, 1000, {Place::Kind::kExposed, 0x1234}, 32, {}}, 50, false);
    return bytes;
  };
  Bytes bytes = written(8, 100);
  rewrite_number(bytes.data(), 9);
  rewrite_part_offset(bytes.data() + kPacketHeadBytes, 150);
  EXPECT_EQ(bytes, written(9, 150));
}

/// A datagram with an acknowledgement and a part with these numbers, of a message of 500 bytes.
Bytes datagram_with_part(std::uint64_t number, std::uint64_t offset, std::size_t padding) {
  Bytes bytes(300);
  const auto size = static_cast<std::uint16_t>(bytes.size());
  std::byte* at = write_head(bytes.data(), {kPacketVersion, 1, size, 5, 7, 8, number});
  AckFrame ack;
  ack.largest = 9;
  ack.runs = 1;
  ack.run[0] = {0, 3};
  at = write_ack(at, ack);
  PartFrame part;
  part.transfer = 3;
  part.offset = offset;
  part.payload_bytes = 490;
  part.header_bytes = 10;
  part.place = {Place::Kind::kExposed, 99};
  const auto data =
      static_cast<std::size_t>(bytes.data() + bytes.size() - at) - PartFrame::kFixedBytes - padding;
  write_part(at, part, data, false, padding);
  return bytes;
}

// Any other difference but that of the data makes it another one.
TEST(Packet, IsLikeAnotherOneThatCarriesAnotherPartAlone) {
  for (const std::size_t padding : {std::size_t{0}, std::size_t{5}}) {
    const Bytes first = datagram_with_part(1000, 20, padding);
    PartPattern pattern;
    Frames frames;
    ASSERT_TRUE(decode_frames(std::span(first).subspan(kPacketHeadBytes), &frames));
    ASSERT_TRUE(decode_head(first, &pattern.head));
    pattern.datagram = first;
    pattern.part = frames.part;
    const std::size_t part_bytes = frames.part.data.size(), begin_bytes = first.size() - part_bytes;
    const auto is_like = [&](const Bytes& other, unsigned index) {
      return pattern.is_head_of(other, index) && pattern.is_beginning_of(other, index);
    };
    Bytes second = datagram_with_part(1001, 20 + part_bytes, padding);
    EXPECT_TRUE(is_like(second, 1));
    EXPECT_FALSE(is_like(second, 2));
    EXPECT_FALSE(is_like(datagram_with_part(1001, 20, padding), 1));
    EXPECT_FALSE(is_like(datagram_with_part(1002, 20 + part_bytes, padding), 1));
    for (std::size_t at = 0; at < second.size(); ++at) {
      second[at] ^= std::byte{1};
      EXPECT_EQ(is_like(second, 1), at >= begin_bytes) << at;
      second[at] ^= std::byte{1};
    }
    // One behind the end of the message is none of its parts.
    const unsigned beyond = static_cast<unsigned>(500 / part_bytes);
    EXPECT_FALSE(is_like(datagram_with_part(1000 + beyond, 20 + beyond * part_bytes, padding), beyond));
  }
}

TEST(Packet, IsRefusedWhereverItIsCutInsideAFrame) {
  const Bytes bytes = datagram_with_everything();
  const std::set<std::size_t> ends = {0, 32, 64, 92, 93, bytes.size()};
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
    Frames frames;
    EXPECT_EQ(decode_frames(part, &frames), ends.count(cut) == 1) << cut;
  }
}

TEST(Packet, NeverPointsOutsideWhateverItIsMadeOf) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200'000; ++round) {
    Bytes bytes = datagram_with_everything();
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes.resize(random() % (bytes.size() + 1));
    Frames frames;
    if (!decode_frames(bytes, &frames)) continue;
    for (const auto data : {frames.messages.data, frames.control.data, frames.bulk.data}) {
      if (data.empty()) continue;
      ASSERT_GE(data.data(), bytes.data());
      ASSERT_LE(data.data() + data.size(), bytes.data() + bytes.size());
    }
  }
}

TEST(Packet, FramesThatMakeNoSenseAreRefused) {
  Frames frames;
  for (const unsigned type : {6u, 7u, 99u, 255u}) {
    Bytes unknown(40, static_cast<std::byte>(type));
    EXPECT_FALSE(decode_frames(unknown, &frames)) << type;
  }
  Bytes twice(2);
  write_ping(write_ping(twice.data()));
  frames = {};
  EXPECT_FALSE(decode_frames(twice, &frames));
  AckFrame ack;
  ack.largest = 1;
  ack.runs = 1;
  ack.run[0] = {0, 3};  // numbers below 0
  Bytes bytes(ack.bytes());
  write_ack(bytes.data(), ack);
  frames = {};
  EXPECT_FALSE(decode_frames(bytes, &frames));
}

TEST(Record, OfAMessageIsIncompleteUntilItIsAllThere) {
  Bytes bytes(8 + 10 + 20);
  ASSERT_EQ(write_inline_head(bytes.data(), 10, 20), 8u);
  MessageRecord record;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_EQ(decode_message({bytes.data(), cut}, 100, &record), Decoded::kIncomplete);
  ASSERT_EQ(decode_message(bytes, 100, &record), Decoded::kWhole);
  EXPECT_EQ(record.header.size(), 10u);
  EXPECT_EQ(record.payload_bytes, 20u);
  EXPECT_EQ(record.payload, bytes.data() + 18);
  EXPECT_EQ(decode_message(bytes, 19, &record), Decoded::kMalformed) << "larger than what comes along";
  bytes[1] = std::byte{129};
  EXPECT_EQ(decode_message(bytes, 100, &record), Decoded::kMalformed) << "a header too large";
}

TEST(Ranges, AreTheSetThatASetWouldBe) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    RangeSet ranges;
    std::set<std::uint64_t> model;
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t begin = random() % 100, end = begin + random() % 20;
      if (random() % 3 == 0) {
        ranges.remove({begin, end});
        for (std::uint64_t at = begin; at < end; ++at) model.erase(at);
      } else {
        std::uint64_t fresh = 0;
        ranges.add({begin, end}, [&](const Range& part) {
          fresh += part.size();
          for (std::uint64_t at = part.begin; at < part.end; ++at) EXPECT_EQ(model.count(at), 0u);
        });
        const std::size_t before = model.size();
        for (std::uint64_t at = begin; at < end; ++at) model.insert(at);
        EXPECT_EQ(fresh, model.size() - before);
      }
      std::set<std::uint64_t> held;
      std::uint64_t last = 0;
      for (const Range& range : ranges.ranges()) {
        EXPECT_LT(range.begin, range.end);
        EXPECT_TRUE(held.empty() || range.begin > last) << "ranges that touch are one";
        last = range.end;
        for (std::uint64_t at = range.begin; at < range.end; ++at) held.insert(at);
      }
      ASSERT_EQ(held, model);
    }
  }
}

TEST(Numbers, OnceEachAndReportedAsTheyCame) {
  std::mt19937_64 random(3);
  for (const unsigned loss : {0u, 1u, 30u, 90u}) {
    ReceivedNumbers numbers;
    std::set<std::uint64_t> model;
    std::uint64_t next = 0;
    for (int step = 0; step < 6000; ++step) {
      std::uint64_t number = next;
      if (random() % 100 < loss) {
        next += 1 + random() % 100;
        continue;
      }
      if (next > 10 && random() % 4 == 0) number = next - 1 - random() % 10;
      const bool is_known = model.count(number) == 1;
      const auto verdict = numbers.judge(number);
      ASSERT_EQ(verdict == ReceivedNumbers::Verdict::kDuplicate, is_known) << number;
      if (verdict != ReceivedNumbers::Verdict::kNew) continue;
      numbers.add(number);
      model.insert(number);
      next = std::max(next, number + 1);
      if (number + 1 == next && random() % 8 == 0) {
        const unsigned more = 1 + static_cast<unsigned>(random() % 150);
        numbers.add_next(more);
        for (unsigned i = 0; i < more; ++i) model.insert(next++);
      }
      AckFrame ack;
      numbers.report(&ack, AckFrame::kMostRuns);
      ASSERT_EQ(ack.largest, *model.rbegin());
      std::uint64_t at = ack.largest + 1;
      for (unsigned i = 0; i < ack.runs; ++i) {
        for (unsigned gap = 0; gap < ack.run[i].gap; ++gap) ASSERT_EQ(model.count(--at), 0u);
        for (unsigned run = 0; run < ack.run[i].run; ++run) ASSERT_EQ(model.count(--at), 1u);
      }
    }
  }
}

// Beside a table that has a row for each packet.
TEST(SentPackets, AreKnownAsIfEachWereWrittenDownByItself) {
  struct Packet {
    SentPackets::State state;
    std::uint32_t bytes;
    Range bulk;
  };
  using State = SentPackets::State;
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    SentPackets packets;
    std::vector<Packet> model;
    for (int step = 0; step < 3000; ++step) {
      if (random() % 3 != 0 && !packets.is_full()) {
        SentRun run;
        run.first = packets.next_number();
        run.count = 1;
        run.bytes = static_cast<std::uint32_t>(random() % 1000);
        run.bulk = {random() % 1000, 2000};
        const State state = random() % 8 == 0 ? State::kSettled : State::kInFlight;
        packets.add(run, state);
        model.push_back({state, run.bytes, run.bulk});
        const auto more = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(packets.room(), state == State::kInFlight ? random() % 60 : 0));
        if (more != 0) packets.add_alike(more);
        for (std::uint32_t i = 0; i < more; ++i) {
          const Range last = model.back().bulk;
          model.push_back({state, run.bytes, {last.end, last.end + last.size()}});
        }
        ASSERT_EQ(packets.last().bulk_end(), model.back().bulk.end);
      }
      ASSERT_EQ(packets.next_number(), model.size());
      if (packets.base() == packets.next_number()) {
        packets.release_memory();
        ASSERT_EQ(packets.memory_bytes(), 0u);
        continue;
      }
      // All states in a stretch of numbers become one; mostly the first numbers.
      const std::uint64_t span = packets.next_number() - packets.base();
      const std::uint64_t begin = packets.base() + (random() % 2 == 0 ? 0 : random() % span);
      const std::uint64_t end =
          begin + 1 + random() % std::min<std::uint64_t>(packets.next_number() - begin, 80);
      const State state = random() % 4 == 0 ? State::kLost : State::kSettled;
      for (std::uint64_t number = begin; number < end;) {
        const SentPackets::Stretch stretch = packets.stretch(number, end);
        ASSERT_EQ(stretch.begin, number);
        ASSERT_GT(stretch.end, stretch.begin);
        ASSERT_LE(stretch.end, end);
        ASSERT_EQ(stretch.run.bulk_of(stretch.begin, stretch.end),
                  (Range{model[number].bulk.begin, model[stretch.end - 1].bulk.end}));
        for (; number < stretch.end; ++number) {
          ASSERT_EQ(stretch.state, model[number].state);
          ASSERT_EQ(stretch.run.bytes, model[number].bytes);
          model[number].state = state;
        }
        packets.set(stretch, state);
      }
      const std::uint64_t lost_before = packets.next_number() - std::min<std::uint64_t>(model.size(), 100);
      std::uint64_t base = packets.base();
      while (base < model.size() && (model[base].state == State::kSettled ||
                                     (model[base].state == State::kLost && base < lost_before)))
        ++base;
      packets.drop_settled(lost_before);
      ASSERT_EQ(packets.base(), base);
      ASSERT_LE(packets.memory_bytes(), SentPackets::most_bytes());
    }
  }
}

TEST(Numbers, TooOldOrTooFarAreNotNew) {
  ReceivedNumbers numbers;
  numbers.add(10'000);
  EXPECT_EQ(numbers.judge(10), ReceivedNumbers::Verdict::kTooOld);
  EXPECT_EQ(numbers.judge(9'999), ReceivedNumbers::Verdict::kNew);
  EXPECT_EQ(numbers.judge(10'000), ReceivedNumbers::Verdict::kDuplicate);
  EXPECT_EQ(numbers.judge(10'001 + ReceivedNumbers::kFarthest), ReceivedNumbers::Verdict::kTooFar);
}

TEST(Streams, PutInOrderWhateverIsLostAndRepeated) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 100; ++round) {
    SendStream sender(4096);
    ReceiveStream receiver(4096);
    std::vector<std::vector<std::byte>> kept;
    Bytes sent, got;
    const auto consume = [&](std::span<const std::byte> bytes) {
      const std::size_t used = bytes.size() - bytes.size() % 3;  // records of three bytes
      got.insert(got.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(used));
      return used;
    };
    while (got.size() < 30'000) {
      const std::size_t count = std::min<std::size_t>(sender.room() / 3, random() % 100) * 3;
      for (std::size_t i = 0; i < count; ++i) {
        const auto byte = static_cast<std::byte>(random());
        sent.push_back(byte);
        sender.append(&byte, 1);
      }
      const Range range = sender.take(1 + random() % 300, ~std::uint64_t{0});
      if (range.size() == 0) continue;
      if (random() % 4 == 0) {
        sender.lose(range);
        continue;
      }
      Bytes data(range.size());
      sender.copy_out(range, data.data());
      ASSERT_TRUE(receiver.has_room_for(range));
      receiver.feed(range.begin, data, consume, kept);
      if (random() % 4 == 0) receiver.feed(range.begin, data, consume, kept);
      if (random() % 8 == 0) {
        sender.lose(range);  // the acknowledgement is
      } else {
        sender.acknowledge(range);
      }
    }
    ASSERT_TRUE(std::equal(got.begin(), got.end(), sent.begin()));
  }
}

TEST(RoundTrips, ProbesWaitLongerAndLongerUpToALimit) {
  RoundTrip trips;
  EXPECT_EQ(trips.probe_timeout_ns(0), RoundTrip::kInitialNs);
  for (int i = 0; i < 50; ++i) trips.add_sample(20'000, 0);
  EXPECT_NEAR(static_cast<double>(trips.smoothed_ns()), 20'000, 100);
  EXPECT_LT(trips.probe_timeout_ns(0), 1'000'000u);
  for (unsigned tries = 1; tries < 10; ++tries)
    EXPECT_EQ(trips.probe_timeout_ns(tries), 2 * trips.probe_timeout_ns(tries - 1));
  EXPECT_EQ(trips.probe_timeout_ns(63), RoundTrip::kMostBackoffNs);
}

TEST(Peers, OfOneHostShareItsAddress) {
  PeerTable peers;
  for (std::uint16_t port = 1; port < 100; ++port) {
    net::Address address = net::Address::loopback();
    address.port = port;
    address.host[3] = static_cast<std::uint8_t>(1 + port % 3);
    peers.add(address);
  }
  peers.close();
  EXPECT_EQ(peers.size(), 99u);
  EXPECT_EQ(peers[4].port, 5);
  EXPECT_EQ(peers[4].host[3], 3);
}

}  // namespace
}  // namespace aqueduct::fabric::udp
