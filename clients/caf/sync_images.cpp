// Each image has, in the segment of every other one, a word that says how often it has come to meet that one
// (arrivals()). Meeting an image is: add one to our word there, and wait until its word here says as many as
// our word there.
#include <cstdlib>

#include "clients/caf/status.hpp"
#include "clients/caf/sync.hpp"
#include "clients/caf/transfer.hpp"
#include "clients/caf/wait_name.hpp"

namespace aqueduct::caf {
namespace {

std::uint64_t* meetings;  // with each rank, so far
std::uint32_t* marks;     // of ranks in the list, by the number of the statement
std::uint32_t statement_number;

/// Which image is the `i`-th to meet.
int image_at(const int* images, int i) { return images ? images[i] : i + 1; }

void begin_meetings() {
  meetings = static_cast<std::uint64_t*>(std::calloc(job.size, sizeof *meetings));
  marks = static_cast<std::uint32_t*>(std::calloc(job.size, sizeof *marks));
  if (!meetings || !marks) fatal("SYNC IMAGES", "no memory for the meetings with %u images", job.size);
}

bool is_valid(int count, const int* images, const Outcome& outcome) {
  ++statement_number;
  for (int i = 0; images && i < count; ++i) {
    if (!job.team->has(images[i])) {
      outcome.fail(kNoSuchImage, "SYNC IMAGES", "there is no image %d in a team of %d", images[i],
                   job.team->size);
      return false;
    }
    std::uint32_t& mark = marks[job.team->rank_of(images[i])];
    if (mark == statement_number) {
      outcome.fail(kDuplicateImages, "SYNC IMAGES", "image %d is named twice", images[i]);
      return false;
    }
    mark = statement_number;
  }
  return true;
}

/// Waits for one; what became of it.
StatValue meet(gex_Rank_t rank) {
  const std::uint64_t* const arrived = &arrivals()[rank];
  const std::uint64_t wanted = meetings[rank];
  const auto is_here = [&] { return __atomic_load_n(arrived, __ATOMIC_ACQUIRE) >= wanted; };
  for (int looks = 0; looks < 200; ++looks)
    if (is_here()) return kOk;
  const WaitName name("SYNC IMAGES", " with image ", job.team->image_of(rank), rank);
  for (;;) {
    const std::uint32_t seen = departures();
    const StatValue state = status_of(rank);
    if (is_here()) return kOk;
    if (state != kOk) return state;
    if (wait_unless_departed(seen, is_here)) return kOk;
  }
}

}  // namespace

void sync_images(int count, const int* images, const Outcome& outcome) {
  if (!meetings) begin_meetings();
  if (count < 0) {
    count = job.team->size;
    images = nullptr;
  }
  if (!is_valid(count, images, outcome)) return;
  complete_puts();
  const std::size_t mine = offset_of(&arrivals()[job.rank]);
  for (int i = 0; i < count; ++i) {
    const gex_Rank_t rank = job.team->rank_of(image_at(images, i));
    if (rank == job.rank) continue;
    put_word(rank, mine, ++meetings[rank]);
    wake(rank);
  }
  complete_puts();
  StatValue worst = kOk;
  int culprit = 0;
  for (int i = 0; i < count; ++i) {
    const int image = image_at(images, i);
    const gex_Rank_t rank = job.team->rank_of(image);
    if (rank == job.rank) continue;
    const StatValue state = meet(rank);
    if (state == kOk || worst == kStoppedImage) continue;
    worst = state;
    culprit = image;
  }
  if (worst == kOk) return outcome.succeed();
  outcome.fail(worst, "SYNC IMAGES", "image %d has %s", culprit,
               worst == kStoppedImage ? "stopped" : "failed");
}

}  // namespace aqueduct::caf
