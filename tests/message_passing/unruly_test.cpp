// The minimal MPI over a fabric that lets payloads land, and both sides know, in any order: random programs
// of sends, receives and looks, one for each seed. A receive may be posted at any moment of a message's way.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>

#include "papers/parts/message_passing/portals_mpi.hpp"
#include "portals3/machine.hpp"
#include "support/pattern.hpp"

namespace aqueduct::test {
namespace {

using parts::kAnySource;
using parts::Operation;
using parts::PortalsMpi;
using parts::Status;
using parts::Tag;

constexpr RankId kRanks = 3;
constexpr Tag kTags = 3;
constexpr Tag kFromAnybody = 2;  // receives of this tag take whoever's message comes first
constexpr unsigned kMessages = 60;
constexpr std::size_t kLongest = 3000;
// One buffer more than messages may be under way to a rank: each may keep one from being used again.
constexpr unsigned kUnexpectedBuffers = 8;

const PortalsMpi::Settings kSettings{.eager_bytes = 1024,
                                     .copied_bytes = 64,
                                     .send_buffers = 3,
                                     .unexpected_buffers = kUnexpectedBuffers,
                                     .unexpected_bytes = 3000,
                                     .queue_events = 256};

class Program {
 public:
  explicit Program(std::uint64_t seed)
      : random_(seed),
        machine_({.nodes = kRanks,
                  .seed = seed,
                  .inline_bytes = std::size_t{64} * (seed % 2),
                  .retry_percent = seed % 3 == 0 ? 20u : 0u,
                  .in_order = false}) {
    for (RankId rank = 0; rank < kRanks; ++rank) {
      const On on{machine_, rank};
      mpi_[rank] = std::make_unique<PortalsMpi>(rank, kRanks, kSettings);
    }
  }

  ~Program() {
    for (RankId rank = 0; rank < kRanks; ++rank) {
      const On on{machine_, rank};
      mpi_[rank].reset();
    }
  }

  void run() {
    while (sent_ < kMessages || received_ < kMessages) {
      switch (draw(4)) {
        case 0:
          send();
          break;
        case 1:
          receive();
          break;
        case 2:
          look();
          break;
        default:
          for (unsigned steps = draw(6); steps > 0; --steps) machine_.fabric().step();
      }
    }
    // From here on looking is all that the ranks do.
    for (unsigned idle = 0; under_way() && idle < 3;) idle = machine_.fabric().step() | look() ? 0 : idle + 1;
    for (const Transfer& each : sends_) EXPECT_TRUE(each.done) << "a send never ends";
    for (const Transfer& each : receives_) {
      EXPECT_TRUE(each.done) << "rank " << each.at << " never gets a message with tag " << each.tag;
      if (each.done) check(each);
    }
  }

 private:
  struct Transfer {
    RankId at, peer;
    Tag tag;
    Operation operation = 0;
    std::vector<unsigned char> data{};
    bool done = false;
    Status status{};
  };

  unsigned draw(unsigned choices) { return static_cast<unsigned>(random_() % choices); }
  unsigned& count(auto& counts, RankId from, RankId to, Tag tag) {
    return counts[(from * kRanks + to) * kTags + tag];
  }

  static std::size_t size_of(std::uint64_t key) {
    constexpr std::array<std::size_t, 7> kSizes = {0, 1, 64, 65, 500, 1024, kLongest};
    return kSizes[key % kSizes.size()];
  }

  void send() {
    const RankId from = draw(kRanks), to = draw(kRanks);
    if (sent_ == kMessages || under_way_to_[to] + 1 == kUnexpectedBuffers) return;
    const Tag tag = draw(kTags);
    const std::uint64_t key = key_of(from, to, tag, count(numbers_sent_, from, to, tag)++);
    Transfer& transfer = sends_.emplace_back(Transfer{from, to, tag});
    transfer.data = patterned(size_of(key), key);
    const On on{machine_, from};
    transfer.operation = mpi_[from]->isend(transfer.data.data(), transfer.data.size(), to, tag);
    ++sent_;
    ++under_way_to_[to];
  }

  // Only what has been sent is asked for; nothing of it need have left the sender yet.
  void receive() {
    const RankId from = draw(kRanks), to = draw(kRanks);
    const Tag tag = draw(kTags);
    unsigned sent = 0, asked = 0;
    for (RankId rank = 0; rank < kRanks; ++rank) {
      if (tag != kFromAnybody && rank != from) continue;
      sent += count(numbers_sent_, rank, to, tag);
      asked += count(numbers_asked_, rank, to, tag);
    }
    if (asked >= sent) return;
    ++count(numbers_asked_, from, to, tag);
    Transfer& transfer = receives_.emplace_back(Transfer{to, from, tag});
    transfer.data.resize(kLongest);
    const On on{machine_, to};
    transfer.operation =
        mpi_[to]->irecv(transfer.data.data(), kLongest, tag == kFromAnybody ? kAnySource : from, tag);
    ++received_;
  }

  /// Whether anything has ended.
  bool look() {
    bool any = false;
    for (std::deque<Transfer>* all : {&sends_, &receives_}) {
      for (Transfer& each : *all) {
        if (each.done) continue;
        const On on{machine_, each.at};
        each.done = mpi_[each.at]->test(each.operation, &each.status);
        any |= each.done;
        if (each.done && all == &receives_) --under_way_to_[each.at];
      }
    }
    return any;
  }

  bool under_way() const {
    const auto open = [](const Transfer& each) { return !each.done; };
    return std::any_of(sends_.begin(), sends_.end(), open) ||
           std::any_of(receives_.begin(), receives_.end(), open);
  }

  // In the order in which they were posted, receives get a rank's messages in the order of sending.
  void check(const Transfer& receive) {
    const RankId from = receive.status.source;
    if (receive.tag != kFromAnybody) {
      ASSERT_EQ(from, receive.peer);
    }
    const std::uint64_t key =
        key_of(from, receive.at, receive.tag, count(numbers_received_, from, receive.at, receive.tag)++);
    ASSERT_EQ(receive.status.bytes, size_of(key)) << "out of order";
    ASSERT_TRUE(holds(receive.data.data(), receive.status.bytes, key));
  }

  using Counts = std::array<unsigned, kRanks * kRanks * kTags>;

  Random random_;
  Machine machine_;
  std::array<std::unique_ptr<PortalsMpi>, kRanks> mpi_;
  std::deque<Transfer> sends_, receives_;
  Counts numbers_sent_{}, numbers_asked_{}, numbers_received_{};
  std::array<unsigned, kRanks> under_way_to_{};
  unsigned sent_ = 0, received_ = 0;
};

TEST(UnrulyMessagePassing, EveryReceiveGetsItsMessageWheneverItIsPosted) {
  for (std::uint64_t seed = 0; seed < 2000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program(seed).run();
  }
}

}  // namespace
}  // namespace aqueduct::test
