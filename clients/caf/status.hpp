// Which images have stopped or failed, and waits that end when that is news.
//
// An image that stops waits until all others have come to their end as well (job_end.cpp). If that takes
// longer than a moment it tells them, one message each, so that those who wait for it learn that it will not
// come. Failures are those that the library reports (aqueduct/failure.h).
#pragma once
#include <gasnetex.h>

#include "clients/caf/error.hpp"
#include "clients/caf/job.hpp"

namespace aqueduct::caf {

/// Changes whenever an image has stopped or failed.
std::uint32_t departures();

/// Takes in what others have told.
inline void look_for_departures() { gasnet_AMPoll(); }

bool has_stopped(gex_Rank_t rank);
bool has_failed(gex_Rank_t rank);
/// kOk, kStoppedImage or kFailedImage: of the whole team, stopped images before failed ones; of one image.
StatValue status_of(const Team& team);
StatValue status_of(gex_Rank_t rank);
bool all_others_have_departed();
/// Of the images that have told that they stop.
int greatest_stop_code();
/// Sets aside what status.cpp needs; before any message arrives.
void begin_status();
/// The handlers of this client's messages begin here.
enum Handler : gex_AM_Index_t { kStopHandler = GEX_AM_INDEX_BASE, kWakeHandler };

/// After a store into a word of another image's segment for which that image may wait. Live it looks again by
/// itself, also when it sleeps; a simulated image sleeps until a message comes.
inline void wake(gex_Rank_t rank) {
  if (job.is_simulated && rank != job.rank && job.peers[rank].here) [[unlikely]]
    gex_AM_RequestShort0(job.world, rank, kWakeHandler, 0);
}

/// Waits until condition() holds or an image has departed since `seen`; whether the condition holds.
template <class Condition>
bool wait_unless_departed(std::uint32_t seen, Condition&& condition) {
  bool holds = false;
  GASNET_BLOCKUNTIL((holds = condition()) || departures() != seen);
  return holds;
}

/// A wait that nobody ends with a message, so that this image looks again and again. One that has become long
/// goes on in GASNET_BLOCKUNTIL, which sleeps between looks and whose name reports show (wait_name.hpp); not
/// in a simulation, where nothing would end the sleep.
class PollingWait {
 public:
  /// Polls so many times and looks once; or, in a long wait, looks until look() has seen a change.
  template <class Look>
  void go_on(unsigned polls, Look&& look) {
    if (is_long()) {
      GASNET_BLOCKUNTIL(look());
      return;
    }
    ++pauses_;
    for (; polls > 0; --polls) gasnet_AMPoll();
    look();
  }
  bool is_long() const { return pauses_ >= kShort && !job.is_simulated; }

 private:
  static constexpr unsigned kShort = 100;
  unsigned pauses_ = 0;
};

}  // namespace aqueduct::caf
