// A barrier of ranks that go on when one of them has died (AQUEDUCT_ON_FAILURE=report).
//
// Once a member is known to be dead the barrier is over for those who wait and for all who come: passed() is
// true, the value is a mismatch, and each counts as lost (include/aqueduct/failure.h). Nobody can tell who
// has come before.
#pragma once
#include <memory>

#include "core/rank.hpp"
#include "extended/barrier.hpp"

namespace aqueduct::extended {

class OutlivedBarrier final : public Barrier {
 public:
  OutlivedBarrier(std::unique_ptr<Barrier> barrier, core::Failures& failures, const core::Team& team)
      : barrier_(std::move(barrier)), failures_(failures), team_(team) {}

  std::uint64_t arrive(core::Thread& thread, BarrierValue value) override {
    return is_broken() ? kBroken : barrier_->arrive(thread, value);
  }
  bool passed(std::uint64_t ticket) override {
    if (ticket != kBroken && barrier_->passed(ticket)) return true;
    if (!is_broken()) return false;
    failures_.count_lost();
    return true;
  }
  BarrierValue value() override {
    return is_broken() ? BarrierValue{BarrierValue::kMismatch, 0} : barrier_->value();
  }
  bool passes_without_polls() const override { return barrier_->passes_without_polls(); }
  Barrier& inner() override { return *barrier_; }

 private:
  static constexpr std::uint64_t kBroken = ~std::uint64_t{0};

  bool is_broken() const { return failures_.breaks(team_); }

  std::unique_ptr<Barrier> barrier_;
  core::Failures& failures_;
  const core::Team& team_;
};

/// `barrier` itself where the job ends with the first rank that dies.
inline std::unique_ptr<Barrier> outlived(core::Rank& rank, const core::Team& team,
                                         std::unique_ptr<Barrier> barrier) {
  if (!barrier || !rank.failures()) return barrier;
  return std::make_unique<OutlivedBarrier>(std::move(barrier), *rank.failures(), team);
}

}  // namespace aqueduct::extended
