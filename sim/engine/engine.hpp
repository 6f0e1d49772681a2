// The event engine: virtual time, and what happens when.
//
// One thread, no locks. Events happen in the order of their times; those of one time in the order in which
// they were posted. No decision depends on the machine (addresses, wall clock, order of a hash table), so a
// seed and a scenario give the same trace everywhere; trace().hash() proves it.
//
//   engine.after(5 * kMicrosecond, {kTimeout, node}, [this, message] { retry(message); });
//
// Fibers (fiber.hpp) run inside events. Code of an event must not wait; code of a fiber may.
#pragma once
#include <cstdint>
#include <optional>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/random.hpp"

namespace aqueduct::sim {

/// The simulation's own kinds of events. Numbers are part of every trace hash: add, never renumber.
enum EventKind : std::uint16_t {
  kFiberRuns = 1,
  kInterruptEnds,
  kInjectionStarts,
  kInjectionEnds,
  kHeaderArrives,
  kPayloadArrives,
  kRetry,
  kGiveUp,
  kNodeFails,
  kReport,
  kControl,
  kPacketLeaves,
  kPacketArrives,
  kLinkFree,
  kTablesChange,
  kBackgroundLeaves,
};

class Engine {
 public:
  explicit Engine(std::uint64_t seed = 0) : seed_(seed) {}
  ~Engine() { count_for_process(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Time now() const { return now_; }
  std::uint64_t seed() const { return seed_; }
  /// A separate stream of random numbers for the purpose `stream` and the user `part`.
  Random random(std::uint64_t stream, std::uint64_t part = 0) const { return Random(seed_, stream, part); }

  /// Posts an event. A time in the past means now.
  void at(Time when, Mark mark, const Action& action) {
    queue_.push(when < now_ ? now_ : when, mark, action);
  }
  void after(Time delay, Mark mark, const Action& action) { queue_.push(now_ + delay, mark, action); }

  /// Adds something to the trace that is not an event: a size, a digest of bytes.
  void note(std::uint64_t detail) { trace_.add(detail); }

  /// Runs events until none is left or stop() was called.
  void run();
  /// Makes run() return when the next event is later than `limit`.
  void set_limit(Time limit) { limit_ = limit; }
  /// Whether run() has returned because of the limit.
  bool limit_reached() const { return now_ > limit_; }
  /// Makes run() return after the present event; run() may be called again.
  void stop() { stopped_ = true; }

  /// What happens between these two is no part of the results: afterwards now(), events() and the trace are
  /// what they were before, and the limit does not hold meanwhile.
  void begin_aside();
  void end_aside();

  /// Every engine that runs calls it now and then, to show progress; it must not touch the simulation. There
  /// is one per process; null: none.
  using Observer = void (*)(const Engine& engine);
  static void set_observer(Observer observer) { observer_ = observer; }

  const Trace& trace() const { return trace_; }
  std::uint64_t events() const { return events_; }
  /// Those of all engines that this process has had; of those that run, as of when the observer was last
  /// called.
  static std::uint64_t events_of_process() { return of_process_; }
  std::size_t pending_events() const { return queue_.size(); }

 private:
  static constexpr std::uint64_t kEventsBetweenLooks = 1 << 16;  // a power of two: some tens of milliseconds
  static inline Observer observer_ = nullptr;
  static inline std::uint64_t of_process_ = 0;

  void count_for_process();

  Time now_ = 0;
  Time limit_ = kNever;
  std::uint64_t seed_;
  std::uint64_t events_ = 0;
  std::uint64_t counted_ = 0;  // of them, for the process
  bool stopped_ = false;
  EventQueue queue_;
  Trace trace_;
  struct Results {
    Time now, limit;
    std::uint64_t events;
    Trace trace;
  };
  std::optional<Results> results_;  // while something happens aside
};

}  // namespace aqueduct::sim
