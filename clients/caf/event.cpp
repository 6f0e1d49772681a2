#include "clients/caf/event.hpp"

#include <algorithm>

#include "clients/caf/atomic_words.hpp"
#include "clients/caf/images.hpp"
#include "clients/caf/status.hpp"
#include "clients/caf/transfer.hpp"
#include "clients/caf/wait_name.hpp"

namespace aqueduct::caf {
namespace {

std::size_t place_of(const Coarray& event, std::size_t index) { return event.offset + index * sizeof(void*); }

}  // namespace

void event_post(const Coarray& event, std::size_t index, int image, const Outcome& outcome) {
  gex_Rank_t rank;
  if (!find_image(image, rank, outcome, "EVENT POST")) return;
  complete_puts();
  apply_atomic(AtomicOp::kAdd, rank, place_of(event, index), 8, 1);
  wake(rank);
  look_for_messages();
  outcome.succeed();
}

void event_wait(const Coarray& event, std::size_t index, int until_count, const Outcome& outcome) {
  auto* const counter = reinterpret_cast<std::uint64_t*>(job.base + place_of(event, index));
  const auto wanted = static_cast<std::uint64_t>(std::max(until_count, 1));
  const auto has_come = [&] { return __atomic_load_n(counter, __ATOMIC_ACQUIRE) >= wanted; };
  complete_puts();
  bool came = has_come();
  for (int looks = 0; !came && looks < 200; ++looks) came = has_come();
  WaitName name("EVENT WAIT");
  if (wanted > 1) name.counts("EVENT WAIT", __atomic_load_n(counter, __ATOMIC_RELAXED), wanted);
  while (!came) {
    // Any image may be the one that was to post, so that only the departure of all others leaves nobody.
    came = wait_unless_departed(departures(), has_come);
    if (!came && all_others_have_departed()) {
      const StatValue state = status_of(job.initial);
      return outcome.fail(state == kOk ? kStoppedImage : state, "EVENT WAIT",
                          "all other images have stopped or failed");
    }
  }
  __atomic_fetch_sub(counter, wanted, __ATOMIC_ACQ_REL);
  outcome.succeed();
}

void event_query(const Coarray& event, std::size_t index, int image, int* count, const Outcome& outcome) {
  gex_Rank_t rank;
  if (!find_image(image, rank, outcome, "EVENT_QUERY")) return;
  gasnet_AMPoll();
  *count = static_cast<int>(apply_atomic(AtomicOp::kGet, rank, place_of(event, index), 8, 0));
  outcome.succeed();
}

}  // namespace aqueduct::caf
