// task<T>: a coroutine that begins when it is awaited and answers a T. Frames come from a pool.
//
//   aqueduct::task<int> twice(aqueduct::global_ptr<int> p) { co_return 2 * co_await aqueduct::rget(p); }
//
// A task belongs to whoever holds it, is awaited once, and is destroyed with its frame if nobody awaits it.
// It ends on the thread on which it was resumed last.
#ifndef AQUEDUCT_CXX_TASK_HPP_
#define AQUEDUCT_CXX_TASK_HPP_

#include <exception>
#include <optional>
#include <utility>

#include "aqueduct/cxx/error.hpp"
#include "aqueduct/cxx/frame_pool.hpp"
#include "aqueduct/cxx/stop.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

template <class T = void>
class task;

namespace detail {

// Frames of coroutines from the pool, for promises that derive from it.
struct PooledFrame {
  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { FramePool::release(frame, bytes); }
};

struct TaskPromiseBase : PooledFrame {
  std::coroutine_handle<> continuation = std::noop_coroutine();
  std::exception_ptr error;
  StopRequest* stop = nullptr;  // of whoever awaits it

  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
      return done.promise().continuation;
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  Final final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (error) [[unlikely]] {
      std::rethrow_exception(std::move(error));
    }
    return std::move(*value);
  }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() {
    if (error) [[unlikely]] {
      std::rethrow_exception(std::move(error));
    }
  }
};

}  // namespace detail

template <class T>
class [[nodiscard]] task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using value_type = T;

  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~task() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> continuation) const {
    detail::StopRequest* const stop = detail::stop_of(continuation);
    detail::check_stop(stop);
    frame_.promise().stop = stop;
    frame_.promise().continuation = continuation;
    return frame_;
  }
  T await_resume() const { return frame_.promise().take(); }

 private:
  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
task<T> TaskPromise<T>::get_return_object() noexcept {
  return task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline task<void> TaskPromise<void>::get_return_object() noexcept {
  return task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

template <class T>
struct IsTask {
  static constexpr bool value = false;
  using Result = T;
};
template <class T>
struct IsTask<task<T>> {
  static constexpr bool value = true;
  using Result = T;
};

// A coroutine that begins at once, that nobody waits for, and that frees itself. It must catch everything.
struct Detached {
  struct promise_type : PooledFrame {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { fatal_exception("a task"); }
  };
};

// What `co_await` makes of an A.
template <class A>
using Awaited = decltype(std::declval<A>().await_resume());

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
