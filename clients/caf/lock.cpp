#include "clients/caf/lock.hpp"

#include <algorithm>

#include "clients/caf/atomic_words.hpp"
#include "clients/caf/images.hpp"
#include "clients/caf/transfer.hpp"

namespace aqueduct::caf {
namespace {

/// Tries to take it from `holder`; who has it now, as its image in the initial team, or 0 if it is ours.
std::uint64_t try_lock(gex_Rank_t rank, std::size_t place, std::uint64_t holder) {
  const auto me = static_cast<std::uint64_t>(job.initial.me);
  const std::uint64_t before = apply_atomic(AtomicOp::kCompareSwap, rank, place, 8, me, holder);
  return before == holder ? 0 : before;
}

/// Looks for messages a number of times, some of which give up the core; nobody tells a waiting image that
/// the lock is free.
void pause(unsigned looks) {
  for (; looks > 0; --looks) gasnet_AMPoll();
}

}  // namespace

void lock(const Coarray& variable, std::size_t index, int image, int* acquired, const Outcome& outcome) {
  gex_Rank_t rank;
  if (!find_image(image, rank, outcome, "LOCK")) return;
  const std::size_t place = variable.offset + index * sizeof(void*);
  std::uint64_t holder = try_lock(rank, place, 0);
  for (unsigned looks = 4; holder != 0; looks = std::min(2 * looks, 256u)) {
    if (holder == static_cast<std::uint64_t>(job.initial.me))
      return outcome.fail(kLocked, "LOCK", "this image has locked the variable already");
    // The lock of an image that has failed is free.
    if (has_failed(static_cast<gex_Rank_t>(holder - 1))) {
      holder = try_lock(rank, place, holder);
      continue;
    }
    if (acquired) {
      gasnet_AMPoll();
      *acquired = 0;
      return outcome.succeed();
    }
    if (has_failed(rank)) return outcome.fail(kFailedImage, "LOCK", "image %d has failed", image);
    pause(looks);
    holder = try_lock(rank, place, 0);
  }
  if (acquired) *acquired = 1;
  outcome.succeed();
}

void unlock(const Coarray& variable, std::size_t index, int image, const Outcome& outcome) {
  gex_Rank_t rank;
  if (!find_image(image, rank, outcome, "UNLOCK")) return;
  complete_puts();
  const std::size_t place = variable.offset + index * sizeof(void*);
  const auto me = static_cast<std::uint64_t>(job.initial.me);
  const std::uint64_t before = apply_atomic(AtomicOp::kCompareSwap, rank, place, 8, 0, me);
  look_for_messages();
  if (before == me) return outcome.succeed();
  if (before == 0) return outcome.fail(kNotLocked, "UNLOCK", "the variable is not locked");
  outcome.fail(kLockedOtherImage, "UNLOCK", "image %d has locked the variable", static_cast<int>(before));
}

}  // namespace aqueduct::caf
