#include "extended/dissemination_barrier.hpp"

#include <algorithm>
#include <utility>

namespace aqueduct::extended {

DisseminationBarrier::DisseminationBarrier(std::vector<Member> members, RankId me,
                                           const WaitPolicy& wait_policy, bool threaded)
    : members_(std::move(members)), me_(me), wait_policy_(wait_policy), threaded_(threaded) {
  const auto size = static_cast<RankId>(members_.size());
  for (RankId span = 1; span < size; span *= kRadix, ++rounds_) {
    for (unsigned i = 0; i < kRadix - 1 && (i + 1) * span < size; ++i) {
      targets_[rounds_][i] = members_[(me_ + (i + 1) * span) % size];
      ++partners_[rounds_];
    }
  }
}

std::uint64_t DisseminationBarrier::arrive(BarrierValue value) {
  const std::uint64_t ticket = arrived_.load(std::memory_order_relaxed) + 1;
  tell(0, ticket, value);
  members_[me_].lines->arrival.words.of(ticket).store(pack_arrival(ticket, value), std::memory_order_release);
  arrived_.store(ticket, std::memory_order_release);
  for (RankId other = 0; other < members_.size(); ++other) {
    if (other != me_) members_[other].doorbell->ring_if_needed();
  }
  return ticket;
}

void DisseminationBarrier::tell(unsigned round, std::uint64_t ticket, BarrierValue value) {
  const std::uint64_t word = pack_arrival(ticket, value);
  for (unsigned i = 0; i < partners_[round]; ++i) {
    targets_[round][i].lines->from[round][i].words.of(ticket).store(word, std::memory_order_release);
  }
  if (round == 0) return;  // an arrival rings for all
  for (unsigned i = 0; i < partners_[round]; ++i) targets_[round][i].doorbell->ring_if_needed();
}

bool DisseminationBarrier::passed(std::uint64_t ticket) {
  if (passed_.load(std::memory_order_acquire) >= ticket) return true;
  if (!threaded_) {
    advance();
  } else {
    if (!lock_.try_lock()) return false;
    const std::uint64_t before = passed_.load(std::memory_order_relaxed);
    advance();
    lock_.unlock();
    // Another thread of this rank may sleep for it.
    if (passed_.load(std::memory_order_relaxed) != before) members_[me_].doorbell->ring_if_needed();
  }
  return passed_.load(std::memory_order_relaxed) >= ticket;
}

void DisseminationBarrier::advance() {
  const std::uint64_t arrived = arrived_.load(std::memory_order_acquire);
  while (passed_.load(std::memory_order_relaxed) < arrived) {
    const std::uint64_t ticket = passed_.load(std::memory_order_relaxed) + 1;
    if (hear()) {
      pass(ticket, combine(known_, mine(ticket)));
    } else if (looks_ > std::min(kMostLooks, wait_policy_.polls) && has_everybody_arrived(ticket)) {
      while (++round_ < rounds_) tell(round_, ticket, seen_);
      pass(ticket, seen_);
    } else {
      ++looks_;
      return;
    }
  }
}

// Takes what has come of the rounds of the barrier in progress, and forwards it; true after the last.
bool DisseminationBarrier::hear() {
  const std::uint64_t ticket = passed_.load(std::memory_order_relaxed) + 1;
  Lines& lines = *members_[me_].lines;
  while (round_ < rounds_) {
    for (; heard_ < partners_[round_]; ++heard_) {
      const std::uint64_t word = lines.from[round_][heard_].words.of(ticket).load(std::memory_order_acquire);
      if (!has_reached(word, ticket)) return false;
      known_ = combine(known_, value_in(word));
    }
    heard_ = 0;
    if (++round_ < rounds_) tell(round_, ticket, combine(known_, mine(ticket)));
  }
  return true;
}

bool DisseminationBarrier::has_everybody_arrived(std::uint64_t ticket) {
  for (; missing_ < members_.size(); ++missing_) {
    const std::uint64_t word =
        members_[missing_].lines->arrival.words.of(ticket).load(std::memory_order_acquire);
    if (!has_reached(word, ticket)) return false;
    seen_ = combine(seen_, value_in(word));
  }
  return true;
}

void DisseminationBarrier::pass(std::uint64_t ticket, BarrierValue value) {
  result_ = value;
  round_ = heard_ = 0;
  looks_ = 0;
  missing_ = 0;
  known_ = seen_ = {};
  passed_.store(ticket, std::memory_order_release);
}

}  // namespace aqueduct::extended
