// What launchers and agents say, as bytes: every message comes out as it went in, however it is cut, and what
// is no message never is one.
#include "hosts/agent_messages.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace aqueduct::job;
namespace net = aqueduct::net;
using namespace aqueduct::job::agent;

using Messages = Codec<Message>;

net::JobKey some_key() { return *net::JobKey::parse(std::string(64, '7')); }

std::vector<Message> samples() {
  Start start{64,    {3, 4, 9}, "2+4", {"./a", "b c", ""}, "/home/me", {"A=1", "B="},
              "udp", "auto",    true,  some_key(),         "[::1]:4",  "job 3 on a"};
  return {Hello{kProtocol, "0.3.0", "boot/4026531840", {"eth0 192.0.2.1"}, "192.0.2.1", "192.0.2.9"},
          Meet{some_key(), 3, true},
          Meeting{40000},
          Reach{some_key(), 3, {"192.0.2.1:4", "[::1]:5"}},
          Reached{1, "Connection refused"},
          start,
          Started{},
          Failed{"no", 127},
          Happened{6, 7, -9, "text\n"},
          Written{3, 1, std::string("a\0b\n", 4)},
          Input{"words"},
          Taken{std::uint64_t{1} << 40},
          Signal{15},
          Hold{1, true},
          Look{},
          Died{7},
          Inspect{true, false},
          Inspected{std::string("\0\0\0\0", 4)},
          Beat{5000},
          Signalled{1},
          Finish{},
          Finished{},
          Ask{"1+1", 2},
          Facts{"{}"},
          Pause{true}};
}

TEST(AgentMessages, AllKindsAreTried) {
  std::vector<bool> is_tried(std::variant_size_v<Message>);
  for (const Message& message : samples()) is_tried[message.index()] = true;
  EXPECT_EQ(std::count(is_tried.begin(), is_tried.end(), false), 0);
}

TEST(AgentMessages, ComeOutAsTheyWentIn) {
  for (const Message& message : samples()) {
    FrameReader decoder;
    decoder.feed(Messages::encode(message));
    const std::optional<Message> decoded = Messages::next(decoder);
    ASSERT_TRUE(decoded) << message.index();
    EXPECT_TRUE(*decoded == message) << message.index();
    EXPECT_FALSE(Messages::next(decoder));
    EXPECT_FALSE(decoder.is_broken());
  }
}

TEST(AgentMessages, ComeOutHoweverTheyAreCut) {
  std::string all;
  for (const Message& message : samples()) all += Messages::encode(message);
  for (const std::size_t piece : {1, 2, 3, 7, 100}) {
    FrameReader decoder;
    std::size_t count = 0;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      decoder.feed(std::string_view(all).substr(at, piece));
      while (const std::optional<Message> message = Messages::next(decoder))
        EXPECT_TRUE(*message == samples()[count++]);
    }
    EXPECT_EQ(count, samples().size());
  }
}

TEST(AgentMessages, WhatIsTooShortOrTooLongForItsKindIsNone) {
  for (const Message& message : samples()) {
    const std::string frame(std::string_view(Messages::encode(message)));
    for (const int change : {-1, 1}) {
      if (change < 0 && frame.size() == 5) continue;  // there are no fields to cut
      std::string other = change > 0 ? frame + "x" : frame.substr(0, frame.size() - 1);
      other[0] = static_cast<char>(other[0] + change);
      FrameReader decoder;
      decoder.feed(other);
      EXPECT_FALSE(Messages::next(decoder)) << message.index() << " " << change;
      EXPECT_TRUE(decoder.is_broken()) << message.index() << " " << change;
    }
  }
}

TEST(AgentMessages, WhatIsBrokenStaysSo) {
  FrameReader decoder;
  decoder.feed(std::string("\0\0\0\0", 4));
  EXPECT_FALSE(Messages::next(decoder));
  EXPECT_TRUE(decoder.is_broken());
  decoder.feed(Messages::encode(Look{}));
  EXPECT_FALSE(Messages::next(decoder));
}

TEST(AgentMessages, AFrameThatIsTooLongIsNotWaitedFor) {
  FrameReader decoder;
  decoder.feed("\xff\xff\xff\x7f");
  EXPECT_FALSE(Messages::next(decoder));
  EXPECT_TRUE(decoder.is_broken());
}

TEST(AgentMessages, AListThatClaimsMoreThanThereIsTakesNoMemory) {
  std::string frame(std::string_view(Messages::encode(Reach{})));
  for (std::size_t i = frame.size() - 4; i < frame.size(); ++i) frame[i] = '\xff';
  FrameReader decoder;
  decoder.feed(frame);
  EXPECT_FALSE(Messages::next(decoder));
  EXPECT_TRUE(decoder.is_broken());
}

TEST(AgentMessages, RandomBytesAndMutationsHarmNobody) {
  std::mt19937 random(4711);
  std::string all;
  for (const Message& message : samples()) all += Messages::encode(message);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = all;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    FrameReader decoder;
    decoder.feed(bytes);
    while (const std::optional<Message> message = Messages::next(decoder)) {
      FrameReader again;
      again.feed(Messages::encode(*message));
      EXPECT_TRUE(Messages::next(again) == message);
    }
  }
}

TEST(AgentMessages, TheVersionOfAnotherProtocolIsUnderstood) {
  const aqueduct::WipedText frame = Messages::encode(Hello{99, "7.0", "", {}, "", ""}) + "what came later";
  const std::optional<Version> version = version_in(frame);
  ASSERT_TRUE(version);
  EXPECT_EQ(version->protocol, 99u);
  EXPECT_EQ(version->version, "7.0");
  EXPECT_FALSE(version_in("short"));
  EXPECT_FALSE(version_in(Messages::encode(Meet{net::JobKey(), 99, false})));
}

}  // namespace
