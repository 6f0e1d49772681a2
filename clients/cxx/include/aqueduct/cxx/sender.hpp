// as_sender(a): an operation or a task as a sender of P2300's style, for code that composes senders. It needs
// no library of them: connect() takes whatever has the members set_value, set_error and set_stopped, as
// receivers have there.
//
//   auto state = aqueduct::as_sender(aqueduct::rget(p)).connect(receiver);
//   state.start();                                  // receiver.set_value(value) comes on this thread, when it waits
//
// resume_on(executor): the coroutine goes on wherever the executor runs things: `executor.execute(f)`. home
// is the executor of the thread that makes it:
//
//   aqueduct::home back;                            // while it exists its thread looks for work all the time
//   co_await aqueduct::resume_on(pool);             // compute there; operations of this library are for threads that
//   co_await aqueduct::resume_on(back);             // wait in run(), so come back first
#ifndef AQUEDUCT_CXX_SENDER_HPP_
#define AQUEDUCT_CXX_SENDER_HPP_

#include "aqueduct/cxx/run.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// Immovable once it has started, and alive until its receiver is told.
template <class A, class Receiver>
class SenderState {
 public:
  SenderState(A awaited, Receiver receiver) : awaited_(std::move(awaited)), receiver_(std::move(receiver)) {}
  void start() & noexcept { drive(*this); }

 private:
  static Detached drive(SenderState& self) {
    Result<Awaited<A>> result;
    bool is_stopped = false;
    try {
      if constexpr (std::is_void_v<Awaited<A>>) {
        co_await self.awaited_;
      } else {
        result.value.emplace(co_await self.awaited_);
      }
    } catch (const stopped&) {
      is_stopped = true;
    } catch (...) {
      result.error = std::current_exception();
    }
    // The receiver may end this state.
    Receiver receiver = std::move(self.receiver_);
    if (is_stopped) {
      std::move(receiver).set_stopped();
    } else if (result.error) {
      std::move(receiver).set_error(std::move(result.error));
    } else if constexpr (std::is_void_v<Awaited<A>>) {
      std::move(receiver).set_value();
    } else {
      std::move(receiver).set_value(std::move(*result.value));
    }
  }

  A awaited_;
  Receiver receiver_;
};

}  // namespace detail

template <class A>
class sender {
 public:
  using value_type = detail::Awaited<A>;
  explicit sender(A awaited) : awaited_(std::move(awaited)) {}
  template <class Receiver>
  detail::SenderState<A, Receiver> connect(Receiver receiver) && {
    return {std::move(awaited_), std::move(receiver)};
  }

 private:
  A awaited_;
};

template <class A>
sender<A> as_sender(A awaited) {
  return sender<A>(std::move(awaited));
}

template <class Executor>
class [[nodiscard]] resume_on {
 public:
  explicit resume_on(Executor& executor) noexcept : executor_(executor) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> continuation) {
    executor_.execute([continuation] { continuation.resume(); });
  }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
};

class home {
 public:
  home() : loop_(detail::this_loop(detail::context())) { loop_.hurry(1); }
  ~home() { loop_.hurry(-1); }
  home(const home&) = delete;
  home& operator=(const home&) = delete;

  // Any thread: runs f soon, on the thread that has made this.
  template <class F>
  void execute(F f) {
    struct Once : detail::Work {
      explicit Once(F once) : function(std::move(once)) {}
      F function;
    };
    Once* const work = detail::make_pooled<Once>(std::move(f));
    work->run = [](detail::Work* ready) {
      Once* const self = static_cast<Once*>(ready);
      F function = std::move(self->function);
      detail::release_pooled(self);
      function();
    };
    loop_.push(work);
  }

 private:
  detail::Loop& loop_;
};

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
