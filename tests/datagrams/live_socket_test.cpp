// The UDP socket of a live job, over the loopback interface: what is sent in bursts arrives as datagrams,
// whether the kernel cuts and joins them or not.
#include "fabric/udp/live_socket.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace aqueduct::fabric::udp {
namespace {

using Bytes = std::vector<std::byte>;

net::Address loopback(net::Address::Family family) {
  if (family == net::Address::Family::kV4) return net::Address::loopback();
  return *net::Address::parse("[::1]:0");
}

std::unique_ptr<LiveSocket> open_socket(const LiveSocketSettings& settings = {}) {
  std::string why;
  auto socket = LiveSocket::open(settings, &why);
  EXPECT_TRUE(socket) << why;
  return socket;
}

/// Each byte tells its place.
Bytes numbered(std::size_t bytes, unsigned seed = 0) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 251 + seed);
  return data;
}

/// Receives datagrams until there are so many, or until nothing has come for a second.
std::vector<Bytes> receive_datagrams(DatagramSocket& socket, std::size_t count) {
  std::vector<Bytes> datagrams;
  while (datagrams.size() < count) {
    const auto arrived = socket.receive();
    if (arrived.empty()) {
      pollfd polled{socket.wake_fd(), POLLIN, 0};
      if (::poll(&polled, 1, 1000) == 0) break;
      continue;
    }
    for (const Arrived& message : arrived) {
      for (std::size_t at = 0; at < message.bytes.size(); at += message.datagram_bytes) {
        const std::size_t bytes = std::min(message.datagram_bytes, message.bytes.size() - at);
        datagrams.emplace_back(message.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               message.bytes.begin() + static_cast<std::ptrdiff_t>(at + bytes));
      }
    }
  }
  return datagrams;
}

std::vector<Bytes> cut(const Bytes& data, std::size_t datagram_bytes) {
  std::vector<Bytes> datagrams;
  for (std::size_t at = 0; at < data.size(); at += datagram_bytes)
    datagrams.emplace_back(
        data.begin() + static_cast<std::ptrdiff_t>(at),
        data.begin() + static_cast<std::ptrdiff_t>(std::min(at + datagram_bytes, data.size())));
  return datagrams;
}

/// Parts of odd sizes, some of them empty.
std::vector<iovec> parts_of(Bytes& data) {
  std::vector<iovec> parts;
  std::size_t at = 0;
  for (std::size_t size = 1; at < data.size(); size = size * 2 + 1) {
    const std::size_t bytes = std::min(size, data.size() - at);
    parts.push_back({data.data() + at, bytes});
    parts.push_back({nullptr, 0});
    at += bytes;
  }
  return parts;
}

/// A kernel or an interface that cannot cut messages, and what it says.
int refusal = 0;
int refuse_to_cut(int socket, mmsghdr* messages, unsigned count, int flags) {
  unsigned plain = 0;
  while (plain < count && messages[plain].msg_hdr.msg_controllen == 0) ++plain;
  if (plain != 0) return ::sendmmsg(socket, messages, plain, flags);
  errno = refusal;
  return -1;
}

struct Ability {
  const char* name;
  net::Address::Family family;
  bool segments, coalesces;
  int refusal;
};

class LiveSocketTest : public testing::TestWithParam<Ability> {
 protected:
  void SetUp() override {
    settings.address = loopback(GetParam().family);
    std::string why;
    sender = LiveSocket::open(settings, &why);
    if (!sender && GetParam().family == net::Address::Family::kV6)
      GTEST_SKIP() << "this machine has no IPv6: " << why;
    settings.may_segment = GetParam().segments;
    settings.may_coalesce = GetParam().coalesces;
    refusal = GetParam().refusal;
    if (refusal != 0) settings.send_messages = refuse_to_cut;
    sender = open_socket(settings);
    receiver = open_socket(settings);
  }

  void expect_to_arrive(Bytes data, std::size_t datagram_bytes) {
    const auto parts = parts_of(data);
    const Burst burst{receiver->address(), parts, datagram_bytes};
    ASSERT_EQ(sender->send({&burst, 1}, 0), 1u);
    const auto expected = cut(data, datagram_bytes);
    EXPECT_EQ(receive_datagrams(*receiver, expected.size()), expected);
  }

  LiveSocketSettings settings;
  std::unique_ptr<LiveSocket> sender, receiver;
};

TEST_P(LiveSocketTest, OneDatagramOfAnySize) {
  for (const std::size_t bytes : {1, 8, 64, 1400, 9000, 65000}) {
    Bytes data = numbered(bytes);
    const iovec part{data.data(), bytes};
    const Burst burst{receiver->address(), {&part, 1}, bytes};
    ASSERT_EQ(sender->send({&burst, 1}, 0), 1u);
    EXPECT_EQ(receive_datagrams(*receiver, 1), std::vector<Bytes>{data});
  }
  EXPECT_EQ(sender->counts().datagrams_sent, 6u);
  EXPECT_EQ(sender->counts().send_calls, 6u);
}

TEST_P(LiveSocketTest, BurstsOfDatagrams) {
  expect_to_arrive(numbered(3000), 1400);
  expect_to_arrive(numbered(64 * 1000), 1000);
  expect_to_arrive(numbered(5), 2);
  EXPECT_EQ(sender->counts().datagrams_sent, 3u + 64u + 3u);
  EXPECT_EQ(sender->counts().unsent + sender->counts().too_large, 0u);
}

TEST_P(LiveSocketTest, BurstsLargerThanOneCallTakes) {
  expect_to_arrive(numbered(200'000), 1400);  // more bytes than a message has
  expect_to_arrive(numbered(300 * 24), 24);   // more datagrams than the kernel cuts
}

TEST_P(LiveSocketTest, ManyBurstsToSeveralAddresses) {
  auto third = open_socket(settings);
  std::vector<Bytes> data;
  std::vector<iovec> parts;
  std::vector<Burst> bursts;
  std::map<const LiveSocket*, std::vector<Bytes>> expected;
  constexpr unsigned kBursts = 150;
  parts.reserve(kBursts);
  for (unsigned i = 0; i < kBursts; ++i) {
    const LiveSocket* to = i % 3 == 0 ? third.get() : receiver.get();
    data.push_back(numbered(100 + 7 * i, i));
    parts.push_back({data.back().data(), data.back().size()});
    bursts.push_back({to->address(), {&parts.back(), 1}, 300});
    for (Bytes& datagram : cut(data.back(), 300)) expected[to].push_back(datagram);
  }
  bursts.push_back({third->address(), {}, 300});  // of nothing
  ASSERT_EQ(sender->send(bursts, 0), bursts.size());
  for (auto& [socket, datagrams] : expected)
    EXPECT_EQ(receive_datagrams(const_cast<LiveSocket&>(*socket), datagrams.size()), datagrams);
}

TEST_P(LiveSocketTest, TellsTheSender) {
  Bytes data = numbered(10);
  const iovec part{data.data(), data.size()};
  const Burst burst{receiver->address(), {&part, 1}, data.size()};
  ASSERT_EQ(sender->send({&burst, 1}, 0), 1u);
  pollfd polled{receiver->wake_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&polled, 1, 10'000), 1);
  const auto arrived = receiver->receive();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].from, sender->address());
}

TEST_P(LiveSocketTest, NobodyAtAPortIsNoError) {
  const net::Address gone = open_socket(settings)->address();
  Bytes data = numbered(4000);
  const iovec part{data.data(), data.size()};
  const Burst bursts[] = {{gone, {&part, 1}, 1000}, {receiver->address(), {&part, 1}, 1000}};
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(sender->send(bursts, 0), 2u);
    EXPECT_EQ(receive_datagrams(*receiver, 4).size(), 4u);
    EXPECT_TRUE(sender->receive().empty());
  }
}

TEST_P(LiveSocketTest, LargestDatagramIsSentAndALargerOneIsLost) {
  const std::size_t largest = sender->largest_datagram(receiver->address());
  EXPECT_GE(largest, 1200u);
  expect_to_arrive(numbered(largest), largest);
  Bytes data = numbered(0xFFFF);
  const iovec part{data.data(), data.size()};
  const Burst burst{receiver->address(), {&part, 1}, data.size()};
  EXPECT_EQ(sender->send({&burst, 1}, 0), 1u);
  EXPECT_EQ(sender->counts().too_large, 1u);
  EXPECT_EQ(sender->largest_datagram(receiver->address()), largest);
}

TEST_P(LiveSocketTest, TakesManyMessagesOnceTheyQueue) {
  constexpr unsigned kMany = 200;
  Bytes data = numbered(16);
  const iovec part{data.data(), data.size()};
  const Burst burst{receiver->address(), {&part, 1}, data.size()};
  for (unsigned i = 0; i < kMany; ++i) ASSERT_EQ(sender->send({&burst, 1}, 0), 1u);
  EXPECT_EQ(receive_datagrams(*receiver, kMany).size(), kMany);
  EXPECT_LT(receiver->counts().receive_calls, kMany / 4);
}

TEST_P(LiveSocketTest, RefusalsAreRemembered) {
  expect_to_arrive(numbered(20 * 1000), 1000);
  expect_to_arrive(numbered(20 * 1000), 1000);
  const LiveSocket::Counts& counts = sender->counts();
  switch (GetParam().refusal) {
    case 0:
      EXPECT_EQ(counts.refused, 0u);
      EXPECT_EQ(counts.segmented, sender->segments() ? 2u : 0u);
      break;
    case EIO:  // for good
      EXPECT_EQ(counts.refused, 1u);
      EXPECT_FALSE(sender->segments());
      break;
    default:  // perhaps only for this one
      EXPECT_EQ(counts.refused, 2u);
      EXPECT_TRUE(sender->segments());
  }
}

constexpr auto kV4 = net::Address::Family::kV4;
constexpr auto kV6 = net::Address::Family::kV6;
INSTANTIATE_TEST_SUITE_P(Abilities, LiveSocketTest,
                         testing::Values(Ability{"V4", kV4, true, true, 0},
                                         Ability{"V4Plain", kV4, false, false, 0},
                                         Ability{"V4CutsOnly", kV4, true, false, 0},
                                         Ability{"V4RefusesForGood", kV4, true, true, EIO},
                                         Ability{"V4RefusesOnce", kV4, true, true, EINVAL},
                                         Ability{"V4TooLarge", kV4, true, false, EMSGSIZE},
                                         Ability{"V6", kV6, true, true, 0},
                                         Ability{"V6Plain", kV6, false, false, 0},
                                         Ability{"V6RefusesForGood", kV6, true, true, EIO}),
                         [](const auto& info) { return info.param.name; });

/// What the kernel would be given of a burst, message by message, in as many batches as that takes. Each
/// message but the last of the burst has whole datagrams.
std::vector<std::byte> taken_from(const Burst& burst, std::size_t* most_parts) {
  MessageBatch batch;
  MessageBatch::Position at;
  const MessageBatch::Limits limits{
      .datagrams = MessageBatch::kMostDatagrams, .bytes = 60'000, .singly_before = {}};
  std::vector<std::byte> taken;
  for (batch.fill({&burst, 1}, at, limits); batch.count() != 0; batch.fill({&burst, 1}, at, limits)) {
    for (unsigned i = 0; i < batch.count(); ++i) {
      const msghdr& message = batch.messages()[i].msg_hdr;
      *most_parts = std::max(*most_parts, std::size_t{message.msg_iovlen});
      for (std::size_t part = 0; part < message.msg_iovlen; ++part) {
        const auto* const begin = static_cast<const std::byte*>(message.msg_iov[part].iov_base);
        taken.insert(taken.end(), begin, begin + message.msg_iov[part].iov_len);
      }
      EXPECT_EQ(taken.size() % burst.datagram_bytes, 0u);
    }
    at = batch.end_of(batch.count() - 1);
  }
  return taken;
}

TEST(MessageBatch, DatagramsThatLieOneBehindTheOtherAreOnePart) {
  Bytes data = numbered(std::size_t{1400} * 300);
  const iovec whole{data.data(), data.size()};
  std::size_t most_parts = 0;
  EXPECT_EQ(taken_from({net::Address::loopback(), {&whole, 1}, 1400}, &most_parts), data);
  EXPECT_EQ(most_parts, 1u);
}

// Of the parts of a datagram the first lies behind the last one of the datagram before, so that they are one.
// The place for parts is full after a middle, so that the last datagram is taken back, and with it what its
// first part has added.
TEST(MessageBatch, EndsWithAWholeDatagramWhereThereIsNoRoomForMoreParts) {
  constexpr std::size_t kDatagrams = 500, kBegin = 10, kMiddle = 20, kEnd = 15;
  Bytes ends = numbered((kBegin + kEnd) * kDatagrams);
  Bytes middles = numbered(4 * kMiddle * kDatagrams, 3);  // with gaps between
  std::vector<iovec> parts;
  Bytes expected;
  for (std::size_t i = 0; i < kDatagrams; ++i) {
    std::byte* const begin = ends.data() + i * (kBegin + kEnd);
    parts.push_back({begin, kBegin});
    parts.push_back({middles.data() + 4 * i * kMiddle, kMiddle});
    parts.push_back({middles.data() + (4 * i + 2) * kMiddle, kMiddle});
    parts.push_back({begin + kBegin, kEnd});
  }
  for (const iovec& part : parts) {
    const auto* const begin = static_cast<const std::byte*>(part.iov_base);
    expected.insert(expected.end(), begin, begin + part.iov_len);
  }
  std::size_t most_parts = 0;
  EXPECT_EQ(taken_from({net::Address::loopback(), parts, kBegin + 2 * kMiddle + kEnd}, &most_parts),
            expected);
  EXPECT_EQ(most_parts, 3 * MessageBatch::kMostDatagrams + 1);
}

// A socket that computes no checksums may not cut: so the kernel itself can be made to refuse.
TEST(LiveSocket, TheKernelRefusesToCut) {
  auto sender = open_socket(), receiver = open_socket();
  if (!sender->segments()) GTEST_SKIP() << "this kernel cuts nothing anyway";
  const int yes = 1;
  ASSERT_EQ(::setsockopt(sender->wake_fd(), SOL_SOCKET, SO_NO_CHECK, &yes, sizeof yes), 0);
  Bytes data = numbered(5500);
  const iovec part{data.data(), data.size()};
  const Burst burst{receiver->address(), {&part, 1}, 1000};
  ASSERT_EQ(sender->send({&burst, 1}, 0), 1u);
  EXPECT_EQ(receive_datagrams(*receiver, 6), cut(data, 1000));
  EXPECT_EQ(sender->counts().refused, 1u);
}

int refuse_all(int, mmsghdr*, unsigned, int) {
  errno = EAGAIN;
  return -1;
}

TEST(LiveSocket, NoRoomTakesNothing) {
  LiveSocketSettings settings;
  settings.send_messages = refuse_all;
  auto sender = open_socket(settings);
  Bytes data = numbered(5500);
  const iovec part{data.data(), data.size()};
  const Burst bursts[] = {{sender->address(), {&part, 1}, 1000}, {sender->address(), {&part, 1}, 1000}};
  EXPECT_EQ(sender->send(bursts, 0), 0u);
  EXPECT_EQ(sender->counts().no_room, 1u);
}

TEST(LiveSocket, SaysWhatIsWrongWithAnAddress) {
  std::string why;
  LiveSocketSettings settings;
  settings.address = open_socket()->address();
  const auto first = open_socket(settings);
  EXPECT_FALSE(LiveSocket::open(settings, &why));
  EXPECT_NE(why.find("in use"), why.npos) << why;
  settings.address = *net::Address::parse("192.0.2.1:0");  // for documentation: nobody has it
  EXPECT_FALSE(LiveSocket::open(settings, &why));
  EXPECT_NE(why.find("192.0.2.1"), why.npos) << why;
}

}  // namespace
}  // namespace aqueduct::fabric::udp
