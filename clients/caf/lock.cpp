#include "clients/caf/lock.hpp"

#include <algorithm>

#include "clients/caf/atomic_words.hpp"
#include "clients/caf/fair_lock.hpp"
#include "clients/caf/images.hpp"
#include "clients/caf/transfer.hpp"
#include "clients/caf/wait_name.hpp"

namespace aqueduct::caf {
namespace {

/// Tries to take it from `holder`; who has it now, as its image in the initial team, or 0 if it is ours.
std::uint64_t try_lock(gex_Rank_t rank, std::size_t place, std::uint64_t holder) {
  const auto me = static_cast<std::uint64_t>(job.initial.me);
  const std::uint64_t before = apply_atomic(AtomicOp::kCompareSwap, rank, place, 8, me, holder);
  return before == holder ? 0 : before;
}

void fail_locked_already(const Outcome& outcome) {
  outcome.fail(kLocked, "LOCK", "this image has locked the variable already");
}

/// What became of an attempt.
enum class Taken { kYes, kNo, kFailed };

Taken take_fairly(gex_Rank_t rank, std::size_t place, bool waits, const char* statement,
                  const Outcome& outcome) {
  if (holds_fair_lock(rank, place)) {
    fail_locked_already(outcome);
    return Taken::kFailed;
  }
  if (!waits) {
    look_for_messages();
    return try_fair_lock(rank, place) ? Taken::kYes : Taken::kNo;
  }
  take_fair_lock(rank, place, statement);
  return Taken::kYes;
}

/// The word was taken by `holder` when this image looked.
[[gnu::noinline]] Taken take_from(std::uint64_t holder, gex_Rank_t rank, std::size_t place, bool waits,
                                  const char* statement, const Outcome& outcome) {
  const auto me = static_cast<std::uint64_t>(job.initial.me);
  WaitName name(statement);
  PollingWait wait;
  std::uint64_t named = 0;
  for (unsigned looks = 4; holder != 0; looks = std::min(2 * looks, 256u)) {
    if (holder == me) {
      fail_locked_already(outcome);
      return Taken::kFailed;
    }
    // The lock of an image that has failed is free.
    if (has_failed(static_cast<gex_Rank_t>(holder - 1))) {
      holder = try_lock(rank, place, holder);
      continue;
    }
    if (!waits) {
      gasnet_AMPoll();
      return Taken::kNo;
    }
    if (has_failed(rank)) {
      outcome.fail(kFailedImage, "LOCK", "the image with the variable has failed");
      return Taken::kFailed;
    }
    if (wait.is_long() && holder != named) name.names_holder(statement, static_cast<int>(named = holder));
    // Some of the polls give up the core.
    wait.go_on(looks, [&] {
      holder = try_lock(rank, place, 0);
      return holder != named || has_failed(rank) || has_failed(static_cast<gex_Rank_t>(holder - 1));
    });
  }
  return Taken::kYes;
}

}  // namespace

void lock(const Coarray& variable, std::size_t index, int image, int* acquired, const Outcome& outcome) {
  gex_Rank_t rank;
  if (!find_image(image, rank, outcome, "LOCK")) return;
  const std::size_t place = variable.offset + index * sizeof(void*);
  const char* const statement = variable.is_critical ? "CRITICAL" : "LOCK";
  Taken taken = Taken::kYes;
  if (locks_are_fair()) {
    taken = take_fairly(rank, place, !acquired, statement, outcome);
  } else if (const std::uint64_t holder = try_lock(rank, place, 0)) {
    taken = take_from(holder, rank, place, !acquired, statement, outcome);
  }
  if (taken == Taken::kFailed) return;
  if (acquired) *acquired = taken == Taken::kYes;
  outcome.succeed();
}

void unlock(const Coarray& variable, std::size_t index, int image, const Outcome& outcome) {
  gex_Rank_t rank;
  if (!find_image(image, rank, outcome, "UNLOCK")) return;
  complete_puts();
  const std::size_t place = variable.offset + index * sizeof(void*);
  int holder = job.initial.me;
  if (!locks_are_fair())
    holder = static_cast<int>(
        apply_atomic(AtomicOp::kCompareSwap, rank, place, 8, 0, static_cast<std::uint64_t>(job.initial.me)));
  else if (holds_fair_lock(rank, place))
    release_fair_lock(rank, place);
  else
    holder = holder_of_fair_lock(rank, place);
  look_for_messages();
  if (holder == job.initial.me) return outcome.succeed();
  if (holder == 0) return outcome.fail(kNotLocked, "UNLOCK", "the variable is not locked");
  outcome.fail(kLockedOtherImage, "UNLOCK", "image %d has locked the variable", holder);
}

}  // namespace aqueduct::caf
