// Several things at once: when_all, when_any, with_timeout.
//
//   auto [a, b] = co_await aqueduct::when_all(aqueduct::rget(p), aqueduct::rget(q));
//   std::vector<int> all = co_await aqueduct::when_all(std::move(tasks));
#ifndef AQUEDUCT_CXX_WHEN_HPP_
#define AQUEDUCT_CXX_WHEN_HPP_

#include <memory>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "aqueduct/cxx/run.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// What stands for the result of something that has none.
template <class T>
using NonVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

// Resumes a coroutine when as many things are done as it has begun, and it waits.
class Countdown {
 public:
  explicit Countdown(std::size_t count, StopRequest* request) : stop(request), left_(count + 1) {}
  StopRequest* const stop;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> continuation) noexcept {
    continuation_ = continuation;
    return --left_ != 0;
  }
  void await_resume() const noexcept {}
  std::coroutine_handle<> done() noexcept {
    return --left_ == 0 ? continuation_ : std::coroutine_handle<>(std::noop_coroutine());
  }

 private:
  std::size_t left_;
  std::coroutine_handle<> continuation_;
};

// Runs one of them, and counts down at its end.
struct Counted {
  struct promise_type : PooledFrame {
    template <class A, class R>
    promise_type(A&, R&, Countdown& countdown) : count(countdown), stop(countdown.stop) {}
    struct Final {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
        Countdown& count = self.promise().count;
        self.destroy();
        return count.done();
      }
      void await_resume() const noexcept {}
    };
    Counted get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    Final final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    Countdown& count;
    StopRequest* stop;
  };
};

template <class A, class T>
Counted drive_counted(A& awaited, Result<T>& result, Countdown&) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await awaited;
    } else {
      result.value.emplace(co_await awaited);
    }
  } catch (...) {
    result.error = std::current_exception();
  }
}

template <class T>
NonVoid<T> take_non_void(Result<T>& result) {
  if constexpr (std::is_void_v<T>) {
    result.take();
    return {};
  } else {
    return result.take();
  }
}

}  // namespace detail

// All of them, begun at once; their results in a tuple, where std::monostate stands for none. If some throw,
// the first of them does when all are done.
template <class... A>
task<std::tuple<detail::NonVoid<detail::Awaited<A>>...>> when_all(A... awaited) {
  std::tuple<detail::Result<detail::Awaited<A>>...> results;
  detail::Countdown countdown(sizeof...(A), co_await detail::ThisStop());
  std::apply([&](auto&... result) { (detail::drive_counted(awaited, result, countdown), ...); }, results);
  co_await countdown;
  co_return std::apply(
      [](auto&... result) {
        return std::tuple<detail::NonVoid<detail::Awaited<A>>...>{detail::take_non_void(result)...};
      },
      results);
}

// Any number of the same kind: a vector of results, or nothing.
template <class A>
requires(!std::is_void_v<detail::Awaited<A>>) task<std::vector<detail::Awaited<A>>> when_all(
    std::vector<A> awaited) {
  std::vector<detail::Result<detail::Awaited<A>>> results(awaited.size());
  detail::Countdown countdown(awaited.size(), co_await detail::ThisStop());
  for (std::size_t i = 0; i < awaited.size(); ++i) detail::drive_counted(awaited[i], results[i], countdown);
  co_await countdown;
  std::vector<detail::Awaited<A>> values;
  values.reserve(results.size());
  for (auto& result : results) values.push_back(result.take());
  co_return values;
}
template <class A>
requires(std::is_void_v<detail::Awaited<A>>) task<> when_all(std::vector<A> awaited) {
  std::vector<detail::Result<void>> results(awaited.size());
  detail::Countdown countdown(awaited.size(), co_await detail::ThisStop());
  for (std::size_t i = 0; i < awaited.size(); ++i) detail::drive_counted(awaited[i], results[i], countdown);
  co_await countdown;
  for (auto& result : results) result.take();
}

namespace detail {

// What those that are under way and the one who waits for the first of them have in common.
template <class... T>
struct Race {
  std::variant<std::monostate, NonVoid<T>...> value;
  std::exception_ptr error;
  bool is_decided = false;
  StopRequest stop;
  Work* waiter = nullptr;
  Loop* loop = nullptr;

  void decide() {
    is_decided = true;
    if (waiter) loop->push(waiter);
    stop.make();
  }
};

// One of those that are under way. Begins at once and frees itself.
struct Racing {
  struct promise_type : Detached::promise_type {
    template <class A, class Shared, class Place>
    promise_type(A&, Shared& race, Place&) : stop(&race->stop) {}
    Racing get_return_object() const noexcept { return {}; }
    StopRequest* stop;
  };
};

template <class A, std::size_t kPlace, class Shared>
Racing drive_race(A awaited, std::shared_ptr<Shared> race, std::integral_constant<std::size_t, kPlace>) {
  if (race->is_decided) co_return;
  try {
    if constexpr (std::is_void_v<Awaited<A>>) {
      co_await awaited;
      if (!race->is_decided) race->value.template emplace<kPlace + 1>();
    } else {
      auto value = co_await awaited;
      if (!race->is_decided) race->value.template emplace<kPlace + 1>(std::move(value));
    }
  } catch (...) {
    if (!race->is_decided) race->error = std::current_exception();
  }
  if (!race->is_decided) race->decide();
}

template <class Shared>
class RaceEnd {
 public:
  explicit RaceEnd(Shared& race) : race_(race) {}
  bool await_ready() const noexcept { return race_.is_decided; }
  void await_suspend(std::coroutine_handle<> continuation) {
    work_.continuation = continuation;
    work_.run = [](Work* work) { static_cast<Waiting*>(work)->continuation.resume(); };
    race_.loop = &this_loop(context());
    race_.waiter = &work_;
  }
  void await_resume() const {
    if (race_.error) std::rethrow_exception(std::move(race_.error));
  }

 private:
  struct Waiting : Work {
    std::coroutine_handle<> continuation;
  };
  Shared& race_;
  Waiting work_;
};

// Memory of the pool for std::allocate_shared.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(FramePool::allocate(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { FramePool::release(memory, count * sizeof(T)); }
  bool operator==(const PoolAllocator&) const noexcept = default;
};

}  // namespace detail

// The first that is done; index() - 1 of the variant says which it was. The others are asked to stop: they
// end by the exception `stopped` where they wait, a sleep_for() at once, other operations when they are done,
// until when what they refer to has to last.
template <class... A>
task<std::variant<std::monostate, detail::NonVoid<detail::Awaited<A>>...>> when_any(A... awaited) {
  using Shared = detail::Race<detail::Awaited<A>...>;
  auto race = std::allocate_shared<Shared>(detail::PoolAllocator<Shared>());
  [&]<std::size_t... kPlace>(std::index_sequence<kPlace...>) {
    (detail::drive_race(std::move(awaited), race, std::integral_constant<std::size_t, kPlace>()), ...);
  }
  (std::index_sequence_for<A...>());
  const detail::StopChain chain(co_await detail::ThisStop(), race->stop);
  co_await detail::RaceEnd(*race);
  co_return std::move(race->value);
}

// What is awaited, or timed_out, if that takes longer. It is then asked to stop, as with when_any.
template <class A>
task<detail::Awaited<A>> with_timeout(A awaited, std::chrono::nanoseconds time) {
  auto first = co_await when_any(std::move(awaited), sleep_for(time));
  if (first.index() == 2) throw timed_out();
  if constexpr (!std::is_void_v<detail::Awaited<A>>) co_return std::get<1>(std::move(first));
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
