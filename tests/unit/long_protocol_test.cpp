// The five Long protocols over a network that delays, reorders and repeats as far as it may: no handler
// before its payload, none twice, none never, and no memory in use that was said to be free.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "parts/long/reassembly_table.hpp"
#include "unit/long_network.hpp"

namespace aqueduct::parts::test {
namespace {

constexpr unsigned kNodes = 3;
constexpr unsigned kSlots = 4;  // requests from one node to another that may be outstanding
constexpr std::size_t kMostBytes = 48;

// A client on each node: sends requests, of which some are answered by a Long and others are not, so that
// their slots come back by an implicit reply.
class Traffic {
 public:
  Traffic(LongProtocolKind kind, std::uint32_t seed) : world_(kind, kNodes, seed), slots_(kNodes * kNodes) {
    for (auto& pair : slots_) pair = std::vector<Slot>(kSlots);
  }

  void run(unsigned requests) {
    unsigned begun = 0;
    for (unsigned idle = 0; idle < 2000;) {
      bool active = false;
      if (begun < requests && world_.chance(2)) active |= begin_request(begun);
      for (unsigned i = 0; i < 4; ++i) active |= world_.advance();
      for (RankId rank = 0; rank < kNodes; ++rank) active |= deliver_one(rank);
      reuse_memory();
      if (::testing::Test::HasFailure()) return;
      if (begun == requests && !active && is_quiet()) break;
      idle = active ? 0 : idle + 1;
    }
    for (unsigned id = 0; id < messages_.size(); ++id)
      EXPECT_EQ(messages_[id]->handled, 1u)
          << "message " << id << (messages_[id]->is_reply ? ", a reply" : "");
    EXPECT_TRUE(is_quiet()) << "something is held for ever";
  }

 private:
  // A message of the client: what it sends, and whether it has had its handler.
  struct Sent {
    Outgoing out;
    am::Unreleased unreleased{0};
    std::byte source[kMostBytes];
    bool is_reply = false;
    bool is_source_reused = false;
    unsigned handled = 0;
  };
  // A nonce from one node to another, and the memory at both that its messages are written to.
  struct Slot {
    bool is_request_under_way = false;
    Sent* request = nullptr;
    Sent* reply = nullptr;
    std::byte at_target[kMostBytes];
    std::byte at_source[kMostBytes];

    static bool is_over(const Sent* sent) { return !sent || sent->out.is_over; }
    bool is_free() const { return !is_request_under_way && is_over(request) && is_over(reply); }
  };

  static std::byte pattern(unsigned id, std::size_t i) { return static_cast<std::byte>(id * 7 + i * 13 + 1); }

  std::vector<Slot>& slots(RankId from, RankId to) { return slots_[from * kNodes + to]; }

  Sent& make(RankId target, bool is_reply, std::uint32_t nonce, std::byte* destination) {
    const auto id = static_cast<unsigned>(messages_.size());
    Sent& sent = *messages_.emplace_back(std::make_unique<Sent>());
    sent.is_reply = is_reply;
    sent.out.id = id;
    sent.out.target = target;
    sent.out.is_reply = is_reply;
    sent.out.nonce = nonce;
    sent.out.payload = sent.source;
    sent.out.payload_bytes = 3 + world_.below(kMostBytes - 3);
    sent.out.destination = destination;
    for (std::size_t i = 0; i < sent.out.payload_bytes; ++i) sent.source[i] = pattern(id, i);
    sent.out.unreleased = &sent.unreleased;
    return sent;
  }

  void start(RankId from, Sent& sent) {
    while (world_.node(from).protocol().start(sent.out) == am::Post::kRetry) world_.advance();
  }

  bool begin_request(unsigned& begun) {
    const RankId from = world_.below(kNodes);
    const RankId to = (from + 1 + world_.below(kNodes - 1)) % kNodes;
    std::vector<Slot>& pair = slots(from, to);
    for (std::uint32_t nonce = 0; nonce < kSlots; ++nonce) {
      Slot& slot = pair[nonce];
      if (!slot.is_free()) continue;
      slot.is_request_under_way = true;
      slot.reply = nullptr;
      slot.request = &make(to, false, nonce, slot.at_target);
      ++begun;
      start(from, *slot.request);
      return true;
    }
    return false;
  }

  // The memory that was said to be free is used for something else at once.
  void reuse(Sent& sent) {
    if (std::exchange(sent.is_source_reused, true)) return;
    std::memset(sent.source, 0xEE, sizeof sent.source);
  }
  void reuse_memory() {
    for (const auto& sent : messages_) {
      if (!sent->is_source_reused && sent->unreleased.load() == 0) reuse(*sent);
    }
  }

  bool deliver_one(RankId rank) {
    LongNode& node = world_.node(rank);
    if (node.ready.empty()) return false;
    const std::size_t chosen = world_.below(static_cast<unsigned>(node.ready.size()));
    Incoming& arrival = *node.ready[chosen];
    node.ready.erase(node.ready.begin() + static_cast<std::ptrdiff_t>(chosen));
    Sent& sent = *messages_[arrival.id];
    EXPECT_EQ(++sent.handled, 1u) << "message " << arrival.id << " is handled twice";
    const auto* const there = static_cast<const std::byte*>(arrival.destination);
    for (std::size_t i = 0; i < arrival.payload_bytes; ++i) {
      if (there[i] == pattern(arrival.id, i)) continue;
      ADD_FAILURE() << "the handler of message " << arrival.id << " runs before its payload is there";
      return true;
    }
    if (arrival.is_reply) {
      request_is_over(slots(rank, arrival.source)[arrival.nonce]);
    } else {
      answer(rank, arrival);
    }
    return true;
  }

  static void request_is_over(Slot& slot) { slot.is_request_under_way = false; }

  void answer(RankId rank, const Incoming& request) {
    Slot& slot = slots(request.source, rank)[request.nonce];
    if (world_.chance(2)) {
      slot.reply = &make(request.source, true, request.nonce, slot.at_source);
      start(rank, *slot.reply);
    } else {
      world_.add({[&slot] { request_is_over(slot); }, nullptr});  // the implicit reply
    }
  }

  bool is_quiet() {
    for (const auto& sent : messages_) {
      if (sent->handled == 0 || !sent->out.is_over || sent->unreleased.load() != 0) return false;
    }
    return true;
  }

  LongWorld world_;
  std::vector<std::vector<Slot>> slots_;
  std::vector<std::unique_ptr<Sent>> messages_;
};

unsigned seeds() {
  const char* const text = std::getenv("AQUEDUCT_TEST_LONG_SEEDS");
  return text ? static_cast<unsigned>(std::atoi(text)) : 2000;
}

class LongProtocols : public ::testing::TestWithParam<LongProtocolKind> {};

TEST_P(LongProtocols, NoHandlerBeforeItsPayloadNoneTwiceNoneNever) {
  for (std::uint32_t seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Traffic(GetParam(), seed).run(30);
  }
}

TEST_P(LongProtocols, ANetworkThatCanDoNothingElseChoosesIt) {
  LongWorld world(GetParam(), 1, 1);
  const LongAbilities abilities = world.node(0).long_abilities();
  EXPECT_EQ(what_lacks(GetParam(), abilities), nullptr);
  EXPECT_NE(what_lacks(GetParam(), {}), nullptr);
  LongProtocolKind best;
  ASSERT_TRUE(best_of(abilities, &best));
  if (GetParam() == LongProtocolKind::kPutSyncSend) {
    EXPECT_EQ(best, LongProtocolKind::kAsyncChaining) << "which does the same";
  } else {
    EXPECT_EQ(best, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Five, LongProtocols,
                         ::testing::Values(LongProtocolKind::kOrdered, LongProtocolKind::kPutSyncSend,
                                           LongProtocolKind::kAsyncChaining, LongProtocolKind::kRendezvousGet,
                                           LongProtocolKind::kReassembly),
                         [](const auto& info) {
                           std::string name = name_of(info.param);
                           std::erase(name, '-');
                           return name;
                         });

// What a network says twice, because two of its parts learn of it, counts once.
class RepeatedReports : public testing::TestWithParam<LongProtocolKind>, private LongNetwork {
 protected:
  RepeatedReports() {
    send_.payload_bytes = 1;
    send_.unreleased = &unreleased_;
  }

  LongAbilities long_abilities() const override { return {.reports_landing = true, .tells_target = true}; }
  PayloadPut put_payload(LongSend&, PutReport) override { return PayloadPut::kBegun; }
  am::Post send_envelope(LongSend&) override {
    if (!has_room_) return am::Post::kRetry;
    // One that is in a list twice would go again and again.
    if (++envelopes_ > 10) {
      std::fputs("an envelope goes without end\n", stderr);
      std::_Exit(1);
    }
    return am::Post::kDone;
  }
  void serve() override {}
  void finished(LongSend&) override { ++finished_; }

  am::Unreleased unreleased_{0};
  LongSend send_;
  bool has_room_ = false;
  unsigned envelopes_ = 0, finished_ = 0;
  std::unique_ptr<LongProtocol> protocol_ = make_long_protocol(GetParam(), *this);
};

TEST_P(RepeatedReports, AreOne) {
  ASSERT_EQ(protocol_->start(send_), am::Post::kDone);
  for (unsigned i = 0; i < 2; ++i) protocol_->put_left(send_);
  EXPECT_EQ(unreleased_.load(), 0u);
  for (unsigned i = 0; i < 2; ++i) protocol_->put_landed(send_);
  EXPECT_EQ(unreleased_.load(), 0u);
  EXPECT_EQ(envelopes_, 0u);
  EXPECT_EQ(finished_, 0u);
  has_room_ = true;
  for (unsigned i = 0; i < 2; ++i) protocol_->poll();
  EXPECT_EQ(envelopes_, 1u);
  EXPECT_EQ(finished_, 1u);
}

INSTANTIATE_TEST_SUITE_P(Two, RepeatedReports,
                         ::testing::Values(LongProtocolKind::kAsyncChaining, LongProtocolKind::kReassembly),
                         [](const auto& info) {
                           std::string name = name_of(info.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(LongChoice, OrderThatCostsSomethingIsNotChosenByItself) {
  LongAbilities aries{Ability::kAtACost, true, true, Ability::kAtACost};
  LongProtocolKind best;
  ASSERT_TRUE(best_of(aries, &best));
  EXPECT_EQ(best, LongProtocolKind::kReassembly);
  aries.ordered = Ability::kYes;
  ASSERT_TRUE(best_of(aries, &best));
  EXPECT_EQ(best, LongProtocolKind::kOrdered);
  EXPECT_FALSE(best_of({}, &best));
}

// The halves of a message come on two threads at once: one of the two finds the other.
TEST(ReassemblyTable, HalvesThatComeTogetherMeetOnce) {
  constexpr std::uint32_t kMessages = 20000;
  ReassemblyTable table;
  std::vector<LongArrival> arrivals(kMessages);
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    arrivals[i].source = i % 5;
    arrivals[i].nonce = i;
  }
  std::atomic<std::uint32_t> complete{0};
  std::atomic<std::uint32_t> wrong{0};
  const auto count = [&](ReassemblyTable::Came came, LongArrival* arrival, std::uint32_t i) {
    if (came != ReassemblyTable::Came::kComplete) return;
    complete.fetch_add(1);
    if (arrival != &arrivals[i]) wrong.fetch_add(1);
  };
  std::thread other([&] {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      LongArrival* arrival = nullptr;
      const auto came = table.payload(i % 5, false, i, {}, &arrival);
      count(came, arrival, i);
    }
  });
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    LongArrival* arrival = nullptr;
    const auto came = table.envelope(arrivals[i], &arrival);
    count(came, arrival, i);
  }
  other.join();
  EXPECT_EQ(complete.load(), kMessages);
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(table.waiting(), 0u);
}

// Where a place stands for a nonce, halves of several messages meet under it in any order, each once.
TEST(ReassemblyTable, MatchesMessagesToTheSamePlace) {
  ReassemblyTable table(true);
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const unsigned messages = 1 + random() % 5;
    std::vector<LongArrival> arrivals(messages);
    std::vector<unsigned> halves;
    for (unsigned i = 0; i < messages; ++i) {
      arrivals[i].source = 1;
      arrivals[i].nonce = std::uint64_t{1} << 40;
      halves.push_back(2 * i);
      halves.push_back(2 * i + 1);
    }
    std::shuffle(halves.begin(), halves.end(), random);
    std::set<LongArrival*> complete;
    unsigned payloads = 0;
    for (const unsigned half : halves) {
      LongArrival* arrival = nullptr;
      if (half % 2 != 0) {
        ++payloads;
        table.payload(1, false, std::uint64_t{1} << 40, {}, &arrival);
      } else {
        table.envelope(arrivals[half / 2], &arrival);
      }
      if (arrival) {
        EXPECT_TRUE(complete.insert(arrival).second);
      }
      EXPECT_LE(complete.size(), payloads);
    }
    EXPECT_EQ(complete.size(), messages);
    EXPECT_EQ(table.waiting(), 0u);
  }
}

TEST(ReassemblyTable, TellsWhatDiffersInOneThingApart) {
  ReassemblyTable table;
  LongArrival* complete = nullptr;
  LongArrival arrival;
  arrival.source = 3;
  arrival.nonce = 7;
  arrival.pieces = 2;
  using Came = ReassemblyTable::Came;
  EXPECT_EQ(table.payload(3, true, 7, {}, &complete), Came::kWaits);
  EXPECT_EQ(table.payload(2, false, 7, {}, &complete), Came::kWaits);
  EXPECT_EQ(table.payload(3, false, 8, {}, &complete), Came::kWaits);
  EXPECT_EQ(table.payload(3, false, 7, {}, &complete), Came::kWaits);
  EXPECT_EQ(table.envelope(arrival, &complete), Came::kWaits) << "one of two pieces is missing";
  EXPECT_EQ(table.envelope(arrival, &complete), Came::kTwice);
  EXPECT_EQ(complete, nullptr);
  EXPECT_EQ(table.payload(3, false, 7, {&arrival, 5}, &complete), Came::kComplete);
  EXPECT_EQ(complete, &arrival);
  EXPECT_EQ(arrival.destination, &arrival) << "where its notice says";
  EXPECT_EQ(arrival.payload_bytes, 5u);
  EXPECT_EQ(table.waiting(), 3u);
  EXPECT_EQ(table.most_waiting(), 4u);
}

}  // namespace
}  // namespace aqueduct::parts::test
