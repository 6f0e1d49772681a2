// The loop of a thread: what it has to resume, the operations of the library whose events it waits for, and
// timers.
//
// Coroutines run nowhere else: a handler that completes something puts the waiting coroutine into the loop of
// the thread that awaits it. push() may be called by any thread and in handlers, everything else by the
// loop's thread alone.
#ifndef AQUEDUCT_CXX_LOOP_HPP_
#define AQUEDUCT_CXX_LOOP_HPP_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "aqueduct/cxx/work.hpp"
#include "aqueduct/sim.h"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// Waits for an event; its work is done when the event is.
struct EventWork : Work {
  gex_Event_t event = GEX_EVENT_INVALID;
  EventWork* next_event = nullptr;
};

// Waits for a moment (aqueduct_sim_time_ns).
struct TimerWork : Work {
  std::uint64_t at_ns = 0;
};

// Something that looks after itself now and then, while its rank waits: answers whether it has done anything.
struct Idler {
  bool (*look)(Idler*) = nullptr;
};

class Loop {
 public:
  void push(Work* work) noexcept { ready_.push(work); }

  void wait_for(EventWork* work) {
    work->next_event = nullptr;
    *events_end_ = work;
    events_end_ = &work->next_event;
  }
  void wait_until(TimerWork* work) {
    timers_.push_back(work);
    std::push_heap(timers_.begin(), timers_.end(), later);
  }
  // Runs its work soon, if it has not run and will not anyway.
  void ring_early(TimerWork* work) {
    if (std::erase(timers_, work) == 0) return;
    std::make_heap(timers_.begin(), timers_.end(), later);
    ready_.push(work);
  }
  void add(Idler* idler) { idlers_.push_back(idler); }
  void remove(Idler* idler) { std::erase(idlers_, idler); }
  // 1: from now on the rank must not sleep while it waits, because an idler has something to do; -1: it may
  // again. Any thread.
  void hurry(int change) noexcept { hurried_ += change; }

  // Polls once, and does what there is to do. For programs that have work of their own in between.
  void progress() {
    const Busy busy(*this);
    gasnet_AMPoll();
    look();
    run_ready();
  }

  // Whether a coroutine that runs now runs in here, so that waiting for another one could wait for ever.
  bool is_busy() const noexcept { return is_busy_; }
  class Busy {
   public:
    explicit Busy(Loop& loop) noexcept : loop_(loop), before_(std::exchange(loop.is_busy_, true)) {}
    ~Busy() { loop_.is_busy_ = before_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Loop& loop_;
    bool before_;
  };

  // Until `is_done()`, which what runs here makes true.
  template <class IsDone>
  void until(IsDone&& is_done) {
    while (!is_done()) {
      if (run_ready()) {
        // Many turns may have nothing but work of this rank's own: others must be heard all the same.
        look();
        if (!ready_.empty()) gasnet_AMPoll();
      } else if (timers_.empty() && hurried_ == 0) {
        GASNET_BLOCKUNTIL(look() || !ready_.empty() || is_done());
      } else {
        gasnet_AMPoll();
        look();
      }
    }
  }

 private:
  static bool later(const TimerWork* a, const TimerWork* b) { return a->at_ns > b->at_ns; }

  bool run_ready() {
    Work* work = ready_.take_all();
    if (!work) return false;
    do {
      Work* const next = work->next_work;
      work->run(work);
      work = next;
    } while (work);
    return true;
  }

  // Finds events that are done, timers that are due, and what idlers want; true if anything was found.
  bool look() {
    bool found = events_ && test_events();
    if (!timers_.empty()) found |= ring();
    for (std::size_t i = 0; i < idlers_.size(); ++i) found |= idlers_[i]->look(idlers_[i]);
    return found;
  }

  // Operations complete nearly in order, so the first few are asked; those that are not done stay in front.
  bool test_events() {
    constexpr int kAtMost = 32;
    bool found = false;
    EventWork** link = &events_;
    for (int i = 0; i < kAtMost && *link; ++i) {
      EventWork* const work = *link;
      if (gex_Event_Test(work->event) != GASNET_OK) {
        link = &work->next_event;
        continue;
      }
      *link = work->next_event;
      if (*link == nullptr) events_end_ = link;
      work->event = GEX_EVENT_INVALID;
      ready_.push(work);
      found = true;
    }
    // Some that never get done must not hide the others for ever.
    if (!found && *link) {
      *events_end_ = events_;
      events_end_ = link;
      events_ = *link;
      *link = nullptr;
    }
    return found;
  }

  bool ring() {
    const std::uint64_t now_ns = aqueduct_sim_time_ns();
    bool found = false;
    while (!timers_.empty() && timers_.front()->at_ns <= now_ns) {
      std::pop_heap(timers_.begin(), timers_.end(), later);
      ready_.push(timers_.back());
      timers_.pop_back();
      found = true;
    }
    return found;
  }

  std::conditional_t<kThreads, SharedWorkList, WorkList> ready_;
  EventWork* events_ = nullptr;
  EventWork** events_end_ = &events_;
  std::vector<TimerWork*> timers_;
  std::vector<Idler*> idlers_;
  std::conditional_t<kThreads, std::atomic<int>, int> hurried_{0};
  bool is_busy_ = false;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
