// Barriers in shared memory, with a thread for each member: nobody passes early, names are combined, what was
// written before is seen after, and nobody's attention is needed but for its own arrival.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "extended/board_barrier.hpp"
#include "extended/dissemination_barrier.hpp"

namespace aqueduct::extended {
namespace {

constexpr unsigned kTicketsUntilTheWordsWrap = 3;  // words are used in turn by two tickets

// The shared memory of one barrier, and each member's view of it.
class Meeting {
 public:
  virtual ~Meeting() = default;
  virtual std::uint64_t arrive(RankId member, BarrierValue value) = 0;
  virtual Barrier& barrier(RankId member) = 0;
  bool passed(RankId member, std::uint64_t ticket) { return barrier(member).passed(ticket); }
  Doorbell& bell(RankId member) { return bells_[member]; }
  RankId size() const { return static_cast<RankId>(bells_.size()); }

 protected:
  explicit Meeting(RankId size) : bells_(size) { register_for_heavy_fences(); }
  std::vector<Doorbell> bells_;
};

template <class Kind>
class MeetingOf : public Meeting {
 public:
  using Meeting::Meeting;
  std::uint64_t arrive(RankId member, BarrierValue value) override { return views_[member]->arrive(value); }
  Barrier& barrier(RankId member) override { return *views_[member]; }

 protected:
  std::vector<std::unique_ptr<Kind>> views_;
};

class Board final : public MeetingOf<BoardBarrier> {
 public:
  explicit Board(RankId size)
      : MeetingOf(size), words_(size), groups_((size + BoardBarrier::kGroup - 1) / BoardBarrier::kGroup) {
    for (RankId me = 0; me < size; ++me) {
      std::vector<Doorbell*> others;
      for (RankId other = 0; other < size; ++other) {
        if (other != me) others.push_back(&bells_[other]);
      }
      views_.push_back(std::make_unique<BoardBarrier>(BoardBarrier::Place{words_.data(), groups_.data()}, me,
                                                      size, std::move(others)));
    }
  }

 private:
  std::vector<BarrierWords> words_, groups_;
};

class Dissemination final : public MeetingOf<DisseminationBarrier> {
 public:
  explicit Dissemination(RankId size) : MeetingOf(size), lines_(size) {
    std::vector<DisseminationBarrier::Member> members;
    for (RankId member = 0; member < size; ++member) members.push_back({&lines_[member], &bells_[member]});
    for (RankId me = 0; me < size; ++me)
      views_.push_back(std::make_unique<DisseminationBarrier>(members, me, wait_policy_, true));
  }

 private:
  WaitPolicy wait_policy_ = WaitPolicy::choose(1, 1, false);
  std::vector<DisseminationBarrier::Lines> lines_;
};

template <class T>
std::unique_ptr<Meeting> make(RankId size) {
  return std::make_unique<T>(size);
}

struct Form {
  const char* name;
  std::unique_ptr<Meeting> (*make)(RankId);
  RankId size;
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.name << form.size; }

class SharedBarrier : public ::testing::TestWithParam<Form> {
 protected:
  std::unique_ptr<Meeting> meeting_ = GetParam().make(GetParam().size);
  const RankId size_ = GetParam().size;

  void on_a_thread_each(const std::function<void(RankId)>& act) const {
    std::vector<std::jthread> threads;
    for (RankId me = 0; me < size_; ++me) threads.emplace_back([&act, me] { act(me); });
  }
  void wait(RankId me, std::uint64_t ticket) {
    while (!meeting_->passed(me, ticket)) std::this_thread::yield();
  }
  // How often a member looks at most before it has noticed what is there.
  bool passes_soon(RankId me, std::uint64_t ticket) {
    for (int looks = 0; looks < 100; ++looks) {
      if (meeting_->passed(me, ticket)) return true;
    }
    return false;
  }
};

TEST_P(SharedBarrier, WhatWasWrittenBeforeIsSeenAfterAndNothingFromLater) {
  // Plain memory: ThreadSanitizer sees whether the barriers order what is done to it.
  std::array<std::vector<std::uint64_t>, 2> written{std::vector<std::uint64_t>(size_),
                                                    std::vector<std::uint64_t>(size_)};
  const std::uint64_t rounds = 20'000 / size_;
  std::atomic<std::uint64_t> wrong{0};
  on_a_thread_each([&](RankId me) {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      written[round % 2][me] = round;
      wait(me, meeting_->arrive(me, {}));
      for (const std::uint64_t value : written[round % 2]) wrong += value != round;
    }
  });
  EXPECT_EQ(wrong, 0u);
}

TEST_P(SharedBarrier, NamesAreCombinedOverAllMembers) {
  const std::uint64_t rounds = 8'000 / size_;
  std::atomic<std::uint64_t> wrong{0};
  on_a_thread_each([&](RankId me) {
    std::mt19937 random(size_);  // the same for all members
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      std::vector<BarrierValue> said;
      BarrierValue all;
      const unsigned mostly = random() % 4;
      for (RankId member = 0; member < size_; ++member) {
        const unsigned kind = random() % 64;
        said.push_back(kind == 0   ? BarrierValue{BarrierValue::kMismatch, 0}
                       : kind == 1 ? BarrierValue{BarrierValue::kNamed, -7}
                       : mostly == 0 || kind % mostly == 0
                           ? BarrierValue{}
                           : BarrierValue{BarrierValue::kNamed, static_cast<int>(round)});
        all = combine(all, said.back());
      }
      wait(me, meeting_->arrive(me, said[me]));
      const BarrierValue value = meeting_->barrier(me).value();
      wrong += value.kind != all.kind || value.id != all.id;
    }
  });
  EXPECT_EQ(wrong, 0u);
}

TEST_P(SharedBarrier, NobodyPassesWhileSomebodyIsMissing) {
  for (RankId late = 0; late < size_; ++late) {
    std::uint64_t ticket = 0;
    for (RankId me = 0; me < size_; ++me) {
      if (me != late) ticket = meeting_->arrive(me, {});
    }
    for (RankId me = 0; me < size_; ++me) {
      if (me != late) {
        EXPECT_FALSE(passes_soon(me, ticket)) << me << " passed before " << late << " arrived";
      }
    }
    meeting_->arrive(late, {});
    for (RankId me = 0; me < size_; ++me) EXPECT_TRUE(passes_soon(me, late + 1));
  }
}

TEST_P(SharedBarrier, AMemberThatOnlyArrivesHoldsNobodyUp) {
  for (unsigned round = 1; round <= kTicketsUntilTheWordsWrap; ++round) {
    for (RankId looking = 0; looking < size_; ++looking) {
      const std::uint64_t ticket = std::uint64_t{round - 1} * size_ + looking + 1;
      for (RankId me = 0; me < size_; ++me) {
        const BarrierValue value{BarrierValue::kNamed, me == 0 && looking % 2 == 1 ? -1 : 5};
        EXPECT_EQ(meeting_->arrive(me, value), ticket);
      }
      ASSERT_TRUE(passes_soon(looking, ticket)) << "nobody else looks, but all have arrived";
      EXPECT_EQ(meeting_->barrier(looking).value().kind,
                looking % 2 == 1 ? BarrierValue::kMismatch : BarrierValue::kNamed);
      // The others pass, too, before anybody arrives at the next one.
      for (RankId me = 0; me < size_; ++me) ASSERT_TRUE(passes_soon(me, ticket));
    }
  }
}

TEST_P(SharedBarrier, WithoutNamesMembersMayArriveFarAhead) {
  constexpr std::uint64_t kAhead = 9;
  for (std::uint64_t ticket = 1; ticket <= kAhead; ++ticket) meeting_->arrive(0, {});
  for (std::uint64_t ticket = 1; ticket <= kAhead; ++ticket) {
    EXPECT_FALSE(passes_soon(0, ticket));
    for (RankId me = 1; me < size_; ++me) meeting_->arrive(me, {});
    // In any order.
    for (RankId me = size_; me-- > 0;) EXPECT_TRUE(passes_soon(me, ticket));
  }
}

TEST_P(SharedBarrier, TheLastArrivalRingsForEverybodyWhoSleeps) {
  for (RankId last = 0; last < size_; ++last) {
    for (RankId sleeper = 0; sleeper < size_; ++sleeper) {
      if (sleeper == last) continue;
      std::uint64_t ticket = 0;
      for (RankId me = 0; me < size_; ++me) {
        if (me != last) ticket = meeting_->arrive(me, {});
      }
      Doorbell& bell = meeting_->bell(sleeper);
      const std::uint32_t seen = bell.announce();
      meeting_->arrive(last, {});
      // Nobody else looks meanwhile. A ring makes this return at once.
      ASSERT_TRUE(bell.sleep(seen, 1)) << "no ring for " << sleeper << " when " << last << " arrived";
      for (RankId me = 0; me < size_; ++me) ASSERT_TRUE(passes_soon(me, ticket));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SharedBarrier,
                         ::testing::Values(Form{"Board", make<Board>, 2}, Form{"Board", make<Board>, 5},
                                           Form{"Board", make<Board>, 33},
                                           Form{"Dissemination", make<Dissemination>, 2},
                                           Form{"Dissemination", make<Dissemination>, 3},
                                           Form{"Dissemination", make<Dissemination>, 4},
                                           Form{"Dissemination", make<Dissemination>, 5},
                                           Form{"Dissemination", make<Dissemination>, 8},
                                           Form{"Dissemination", make<Dissemination>, 13},
                                           Form{"Dissemination", make<Dissemination>, 16},
                                           Form{"Dissemination", make<Dissemination>, 33}),
                         [](const auto& info) { return info.param.name + std::to_string(info.param.size); });

TEST(Dissemination, WhoeverPassesByTheArrivalLinesForwardsForThoseWhoWait) {
  constexpr RankId kSize = 16;
  Dissemination meeting(kSize);
  for (RankId me = 0; me < kSize; ++me) meeting.arrive(me, {});
  for (RankId me = 1; me < kSize; ++me) {
    while (!meeting.passed(me, 1)) {
    }
  }
  EXPECT_TRUE(meeting.passed(0, 1)) << "its first look finds the words of all rounds";
}

TEST(Dissemination, SomebodyWhoSleepsBetweenRoundsIsWoken) {
  constexpr RankId kSize = 16;
  Dissemination meeting(kSize);
  for (RankId me = 0; me < kSize; ++me) meeting.arrive(me, {});
  EXPECT_FALSE(meeting.passed(0, 1)) << "nobody has forwarded anything";
  const std::uint32_t seen = meeting.bell(0).announce();
  meeting.passed(12, 1);  // four before member 0, around the end
  EXPECT_TRUE(meeting.bell(0).sleep(seen, 1));
}

TEST(Dissemination, SeveralThreadsOfAMemberMayWait) {
  constexpr RankId kSize = 3;
  constexpr std::uint64_t kRounds = 2000;
  Dissemination meeting(kSize);
  std::vector<std::jthread> threads;
  for (RankId me = 0; me < kSize; ++me) {
    threads.emplace_back([&, me] {
      for (std::uint64_t ticket = 1; ticket <= kRounds; ++ticket) {
        meeting.arrive(me, {});
        while (ticket % 2 == 0 && !meeting.passed(me, ticket)) std::this_thread::yield();
      }
    });
    threads.emplace_back([&, me] {
      while (!meeting.passed(me, kRounds)) std::this_thread::yield();
    });
  }
}

}  // namespace
}  // namespace aqueduct::extended
