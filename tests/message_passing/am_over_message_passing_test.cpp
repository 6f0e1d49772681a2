// Active messages over a message passing whose sends end when the test says so: what is refused for want of
// room leaves no trace, and what is sent is counted until it is answered.
#include "papers/parts/am_over_message_passing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace aqueduct::parts {
namespace {

constexpr RankId kRanks = 200;  // with so many, each peer may have one request

/// Takes everything, delivers nothing.
class StuckMessages final : public MessagePassing {
 public:
  RankId rank() const override { return 0; }
  RankId size() const override { return kRanks; }

  Operation isend(const void*, std::size_t, RankId to, Tag) override {
    ++sent_to[to];
    const Operation operation = ++last_;
    sends_[operation % kMostOperations] = true;
    return operation;
  }
  Operation irecv(void*, std::size_t, RankId, Tag) override { return ++last_; }
  bool test(Operation operation, Status*) override {
    return sends_end && sends_[operation % kMostOperations];
  }

  bool sends_end = false;
  unsigned sent_to[kRanks] = {};

 private:
  static constexpr std::size_t kMostOperations = 4096;
  Operation last_ = 0;
  bool sends_[kMostOperations] = {};
};

class NobodyReceives final : public am::Receiver {
  void deliver(const am::Message&, const am::Origin&) override {}
};

const am::Message kRequest{am::Category::kShort, false, 200, 0};

/// What is missing from each peer are exactly the replies to what was sent to it.
void expect_what_was_sent_is_owed(AmOverMessagePassing& am, const StuckMessages& messages) {
  am.settle();
  for (RankId peer = 1; peer < kRanks; ++peer) {
    const bool lacks_reply = am.missing_from(peer).find("repl") != std::string::npos;
    EXPECT_EQ(lacks_reply, messages.sent_to[peer] != 0) << "rank " << peer << ": " << am.missing_from(peer);
  }
}

TEST(AmOverMessagePassing, ARequestThatIsRefusedIsNotWaitedFor) {
  StuckMessages messages;
  NobodyReceives nobody;
  AmOverMessagePassing am("test", messages, nobody);
  RankId refused = 1;
  while (refused < kRanks && am.inject(refused, kRequest) == am::Post::kDone) ++refused;
  ASSERT_LT(refused, kRanks) << "there is no end to what can be sent";
  expect_what_was_sent_is_owed(am, messages);
  messages.sends_end = true;
  EXPECT_EQ(am.inject(refused, kRequest), am::Post::kDone) << "there is room again, and its share is unused";
  EXPECT_EQ(am.inject(refused, kRequest), am::Post::kRetry) << "its share is used";
  expect_what_was_sent_is_owed(am, messages);
}

TEST(AmOverMessagePassing, NorAreThoseOfThreadsThatSendAtOnce) {
  constexpr unsigned kThreads = 8;
  for (unsigned round = 0; round < 20; ++round) {
    StuckMessages messages;
    NobodyReceives nobody;
    AmOverMessagePassing am("test", messages, nobody);
    std::atomic<unsigned> done{0};
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (RankId peer = 1 + thread; peer < kRanks; peer += kThreads)
          done += am.inject(peer, kRequest) == am::Post::kDone;
      });
    }
    for (std::thread& thread : threads) thread.join();
    unsigned sent = 0;
    for (const unsigned count : messages.sent_to) sent += count;
    EXPECT_EQ(sent, done);
    expect_what_was_sent_is_owed(am, messages);
  }
}

}  // namespace
}  // namespace aqueduct::parts
