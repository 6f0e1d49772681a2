// Something to be done soon by the loop of a thread, and queues of it. Whoever queues a piece of work keeps
// it alive until it has begun to run.
#ifndef AQUEDUCT_CXX_WORK_HPP_
#define AQUEDUCT_CXX_WORK_HPP_

#include <atomic>

#include "aqueduct/cxx/config.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

struct Work {
  Work* next_work = nullptr;
  void (*run)(Work*) = nullptr;
};

// First in, first out; one thread.
class WorkList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void push(Work* work) noexcept {
    work->next_work = nullptr;
    *end_ = work;
    end_ = &work->next_work;
  }
  Work* take_all() noexcept {
    Work* const all = first_;
    first_ = nullptr;
    end_ = &first_;
    return all;
  }

 private:
  Work* first_ = nullptr;
  Work** end_ = &first_;
};

// Any thread pushes, one takes. A stack that is reversed when it is taken: a push is one exchange of the top,
// and the taker takes the whole stack, so that no element is ever removed from below another.
class SharedWorkList {
 public:
  bool empty() const noexcept { return top_.load(std::memory_order_relaxed) == nullptr; }
  void push(Work* work) noexcept {
    Work* top = top_.load(std::memory_order_relaxed);
    do {
      work->next_work = top;
    } while (!top_.compare_exchange_weak(top, work, std::memory_order_release, std::memory_order_relaxed));
  }
  Work* take_all() noexcept {
    Work* top = top_.exchange(nullptr, std::memory_order_acquire);
    Work* first = nullptr;
    while (top) {
      Work* const below = top->next_work;
      top->next_work = first;
      first = top;
      top = below;
    }
    return first;
  }

 private:
  std::atomic<Work*> top_{nullptr};
};

// Who comes first, the one who waits for something or the answer to it, leaves word for the other.
template <bool kShared>
class Meeting {
 public:
  // False if the answer is there; else the answer will get `waiter`, which is not null.
  bool wait(void* waiter) noexcept {
    if (is_answered_) return false;
    waiter_ = waiter;
    return true;
  }
  // The waiter, or null.
  void* answer() noexcept {
    is_answered_ = true;
    return waiter_;
  }

 private:
  void* waiter_ = nullptr;
  bool is_answered_ = false;
};

template <>
class Meeting<true> {
 public:
  bool wait(void* waiter) noexcept {
    void* nobody = nullptr;
    return word_.compare_exchange_strong(nobody, waiter, std::memory_order_acq_rel);
  }
  void* answer() noexcept { return word_.exchange(this, std::memory_order_acq_rel); }

 private:
  std::atomic<void*> word_{nullptr};  // null, the waiter, or this: answered
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
