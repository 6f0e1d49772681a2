// Asking tasks to stop: what when_any() and with_timeout() do to those that have lost.
//
// A task learns of it where it waits, by the exception `stopped`: at once in sleep_for(), otherwise when what
// it waits for is done, because memory of its frame may be written to until then. Tasks that it awaits are
// asked with it. All of them run on one thread.
#ifndef AQUEDUCT_CXX_STOP_HPP_
#define AQUEDUCT_CXX_STOP_HPP_

#include "aqueduct/cxx/error.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

class StopRequest;

// Is told at once. In a list while it waits for that.
struct StopHook {
  explicit StopHook(void (*told)(StopHook*)) : tell(told) {}
  StopHook(const StopHook& other) : tell(other.tell) {}  // only before it waits
  StopHook& operator=(const StopHook&) = delete;
  ~StopHook() { leave(); }
  void leave() noexcept {
    if (!link) return;
    *link = next;
    if (next) next->link = link;
    link = nullptr;
  }
  void (*tell)(StopHook*);
  StopHook* next = nullptr;
  StopHook** link = nullptr;
};

class StopRequest {
 public:
  StopRequest() = default;
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool is_made() const noexcept { return is_made_; }
  void make() {
    is_made_ = true;
    while (StopHook* const hook = hooks_) {
      hook->leave();
      hook->tell(hook);
    }
  }
  void add(StopHook& hook) noexcept {
    hook.next = hooks_;
    hook.link = &hooks_;
    if (hooks_) hooks_->link = &hook.next;
    hooks_ = &hook;
  }

 private:
  bool is_made_ = false;
  StopHook* hooks_ = nullptr;
};

// Of the coroutine that waits; null if nobody may ask it to stop.
template <class Promise>
StopRequest* stop_of(std::coroutine_handle<Promise> waiting) noexcept {
  if constexpr (requires { waiting.promise().stop; }) {
    return waiting.promise().stop;
  } else {
    return nullptr;
  }
}

[[gnu::always_inline]] inline void check_stop(const StopRequest* request) {
  if (request && request->is_made()) [[unlikely]] {
    throw stopped();
  }
}

// co_await ThisStop() in a coroutine answers its own.
class ThisStop {
 public:
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    request_ = stop_of(self);
    return false;
  }
  StopRequest* await_resume() const noexcept { return request_; }

 private:
  StopRequest* request_ = nullptr;
};

// Passes a request on while it exists.
class StopChain : StopHook {
 public:
  StopChain(StopRequest* from, StopRequest& to)
      : StopHook([](StopHook* hook) { static_cast<StopChain*>(hook)->to_.make(); }), to_(to) {
    if (from) from->add(*this);
  }

 private:
  StopRequest& to_;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
