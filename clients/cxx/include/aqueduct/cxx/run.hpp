// Tasks and what starts them: run() at the top, spawn() in the background, then() for callbacks.
#ifndef AQUEDUCT_CXX_RUN_HPP_
#define AQUEDUCT_CXX_RUN_HPP_

#include <chrono>

#include "aqueduct/cxx/context.hpp"
#include "aqueduct/cxx/task.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

template <class T>
struct Result {
  std::optional<T> value;
  std::exception_ptr error;
  bool is_done = false;
  T take() {
    if (error) std::rethrow_exception(std::move(error));
    return std::move(*value);
  }
};
template <>
struct Result<void> {
  std::exception_ptr error;
  bool is_done = false;
  void take() {
    if (error) std::rethrow_exception(std::move(error));
  }
};

template <class A, class T>
Detached drive(A& awaited, Result<T>& result) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await awaited;
    } else {
      result.value.emplace(co_await awaited);
    }
  } catch (...) {
    result.error = std::current_exception();
  }
  result.is_done = true;
}

template <class A>
Detached drive_in_background(A awaited) {
  Context& here = context();
  here.background.fetch_add(1, std::memory_order_relaxed);
  co_await awaited;
  here.background.fetch_sub(1, std::memory_order_relaxed);
}

template <class A, class Callback>
Detached drive_and_tell(A awaited, Callback callback) {
  Context& here = context();
  here.background.fetch_add(1, std::memory_order_relaxed);
  if constexpr (std::is_void_v<Awaited<A>>) {
    co_await awaited;
    callback();
  } else {
    callback(co_await awaited);
  }
  here.background.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace detail

// Waits for an operation or a task, for whoever is no coroutine: `int n = aqueduct::run(work());`. Not in a
// task, where co_await is what you want, and not in a function that a message runs.
template <class A>
auto run(A&& awaited) {
  detail::Context& here = detail::context();
  detail::not_in_handler(here, "run()");
  detail::Loop& loop = detail::this_loop(here);
  if (loop.is_busy()) detail::fatal("run() in a task: use co_await");
  const detail::Loop::Busy busy(loop);
  detail::Result<detail::Awaited<A>> result;
  detail::drive(awaited, result);
  loop.until([&] { return result.is_done; });
  return result.take();
}

// Begins an operation or a task and goes on. The job waits for it at its end. An exception that it lets out
// ends the job.
template <class A>
void spawn(A awaited) {
  detail::not_in_handler(detail::context(), "spawn()");
  detail::drive_in_background(std::move(awaited));
}

// The same, and calls `callback` with what comes out of it, on this thread, when it waits or makes
// progress().
template <class A, class Callback>
void then(A awaited, Callback callback) {
  detail::not_in_handler(detail::context(), "then()");
  detail::drive_and_tell(std::move(awaited), std::move(callback));
}

// Runs the messages that have arrived and whatever has become ready, once. For programs that compute for
// long.
inline void progress() { detail::this_loop(detail::context()).progress(); }

namespace detail {

class [[nodiscard]] Sleep : StopHook {
 public:
  explicit Sleep(std::chrono::nanoseconds time)
      : StopHook([](StopHook* hook) {
          Sleep* const self = static_cast<Sleep*>(hook);
          self->loop_->ring_early(&self->work_);
        }),
        time_(time) {}
  bool await_ready() const noexcept { return time_.count() <= 0; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> continuation) {
    stop_ = stop_of(continuation);
    if (stop_) {
      if (stop_->is_made()) return false;
      stop_->add(*this);
    }
    work_.continuation = continuation;
    work_.run = [](Work* work) { static_cast<Waiting*>(work)->continuation.resume(); };
    work_.at_ns = aqueduct_sim_time_ns() + static_cast<std::uint64_t>(time_.count());
    loop_ = &this_loop(context());
    loop_->wait_until(&work_);
    return true;
  }
  void await_resume() {
    leave();
    check_stop(stop_);
  }

 private:
  struct Waiting : TimerWork {
    std::coroutine_handle<> continuation;
  };
  std::chrono::nanoseconds time_;
  Waiting work_;
  Loop* loop_ = nullptr;
  StopRequest* stop_ = nullptr;
};

class [[nodiscard]] Yield {
 public:
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> continuation) {
    stop_ = stop_of(continuation);
    work_.continuation = continuation;
    work_.run = [](Work* work) { static_cast<Waiting*>(work)->continuation.resume(); };
    this_loop(context()).push(&work_);
  }
  void await_resume() const { check_stop(stop_); }

 private:
  struct Waiting : Work {
    std::coroutine_handle<> continuation;
  };
  Waiting work_;
  StopRequest* stop_ = nullptr;
};

}  // namespace detail

// Virtual time in a simulation.
inline detail::Sleep sleep_for(std::chrono::nanoseconds time) { return detail::Sleep(time); }
// Lets others go on: messages, and tasks that are ready.
inline detail::Yield yield() { return {}; }

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
