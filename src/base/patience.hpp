// How long to insist before giving up the core: poll and pause, then yield, then sleep.
//
// A wake-up from sleep costs tens of microseconds on a virtual machine, a yield about one, a pause a few
// nanoseconds. With a core per rank it pays to poll for about as long as a wake-up costs. With more ranks
// than cores every poll beyond the first few takes time from the rank we wait for, so we yield almost at
// once, and keep yielding for longer, because a turn of all the others is needed before our answer can come.
#pragma once
#include <cstdint>

namespace aqueduct {

struct Patience {
  std::uint32_t looks;  ///< looks at a word in shared memory before the first poll
  std::uint32_t polls;  ///< polls with a pause between them, which leaves the line we wait for to its writer
  std::uint64_t yield_ns;      ///< then yields for this long
  std::uint64_t sleep_min_ns;  ///< then sleeps: first this long ...
  std::uint64_t sleep_max_ns;  ///< ... doubling up to this; a ring of the doorbell ends a sleep at once
  bool may_sleep = true;

  /// Of a rank whose waiting is somebody else's business (a simulation's): give way at once.
  static constexpr Patience none() { return {0, 0, 0, 0, 0}; }

  /// A rank with threads yields for longer: while it sleeps every message to it costs its sender a wake-up,
  /// whichever thread the message is for.
  static Patience choose(unsigned ranks_on_host, unsigned cores, bool threaded) {
    Patience patience = choose(ranks_on_host, cores);
    if (threaded) patience.yield_ns = 2'000'000;
    return patience;
  }

 private:
  static Patience choose(unsigned ranks_on_host, unsigned cores) {
    if (ranks_on_host <= cores) return {40, 3000, 200'000, 200'000, 10'000'000};
    return {1, 4, 1'000'000, 200'000, 10'000'000};
  }
};

}  // namespace aqueduct
