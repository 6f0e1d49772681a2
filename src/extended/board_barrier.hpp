// A barrier of neighbours: everybody writes one word on the shared board and reads those of the others.
//
// Rank r's line holds two words, used in turn: the low half of word[ticket % 2] is the ticket, the high half the name's
// kind and the id is beside it, written first. A rank cannot arrive at ticket t+2 before everybody has arrived at t+1,
// hence has read what it needs of t; so two are enough for names. Barriers without names may run further ahead: they
// need only the count, and tickets only grow.
//
// For two ranks this is one line each way, the least there is. For n ranks each reads n-1 lines, most of them once.
#pragma once
#include <atomic>

#include "core/rank.hpp"
#include "extended/barrier.hpp"

namespace aqueduct::extended {

class BoardBarrier final : public Barrier {
 public:
  BoardBarrier(core::Rank& rank, unsigned instance);

  std::uint64_t arrive(core::Thread& thread, BarrierValue value) override;
  bool passed(std::uint64_t ticket) override;
  BarrierValue value() override;

 private:
  struct alignas(kCacheLine) Line {
    std::atomic<std::uint64_t> arrived;      // tickets so far
    std::atomic<std::uint64_t> name[2];      // kind << 32 | id, by ticket % 2
  };
  Line& line(RankId rank) const {
    return reinterpret_cast<Line*>(neighbourhood_.board(rank))[instance_];
  }

  core::Neighbourhood& neighbourhood_;
  const RankId me_;
  const RankId size_;
  const unsigned instance_;
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> passed_{0};
};

}  // namespace aqueduct::extended
