// co_await call(rank, f, arguments...): runs f at another rank, where the message arrives, and answers what
// it returns.
//
// f is a function object whose captures, if any, are plain values; a function is written call<f>(rank,
// arguments...). It runs inside the library at the other rank, so it may not wait, and may send nothing but
// its answer; an f that returns a task may do everything, and is answered when the task is done. What f
// throws is thrown to the caller as a remote_error. Arguments that are no rvalues are referred to until the
// call begins, which is when it is awaited.
#ifndef AQUEDUCT_CXX_CALL_HPP_
#define AQUEDUCT_CXX_CALL_HPP_

#include "aqueduct/cxx/large_call.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// Waits for an answer of type R. Handlers tell it; the coroutine is resumed by the loop that has awaited it.
template <class R>
class AwaitedAnswer : public Answer {
 public:
  AwaitedAnswer() = default;
  AwaitedAnswer(AwaitedAnswer&&) noexcept {}  // only before it has begun

  // False if the answer has come meanwhile.
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> continuation) noexcept {
    continuation_ = continuation;
    stop_ = stop_of(continuation);
    run = [](Work* work) { static_cast<AwaitedAnswer*>(work)->continuation_.resume(); };
    return meeting_.wait(this);
  }
  R await_resume() {
    check_stop(stop_);
    if (error_) [[unlikely]] {
      std::rethrow_exception(std::move(error_));
    }
    if constexpr (!std::is_void_v<R>) return std::move(*value_);
  }

 protected:
  void begin(Context& context, rank_t rank) {
    loop_ = &this_loop(context);
    peer = rank;
    arrive = [](Answer* answer, rank_t, AnswerKind kind, const std::byte* payload, std::size_t size) {
      static_cast<AwaitedAnswer*>(answer)->take(kind, payload, size);
    };
  }

 private:
  void take(AnswerKind kind, const std::byte* payload, std::size_t size) {
    if (kind == AnswerKind::kValue) [[likely]] {
      if constexpr (!std::is_void_v<R>) {
        try {
          reader from(payload, size);
          value_.emplace(from.read<R>());
        } catch (...) {
          error_ = std::current_exception();
        }
      }
    } else if (kind == AnswerKind::kError) {
      error_ = std::make_exception_ptr(
          remote_error(peer, std::string(reinterpret_cast<const char*>(payload), size)));
    } else if (kind == AnswerKind::kPeerFailed) {
      error_ = std::make_exception_ptr(peer_failed(peer));
    }
    if (meeting_.answer()) loop_->push(this);
  }

  struct Nothing {};
  Meeting<kThreads> meeting_;
  std::coroutine_handle<> continuation_;
  Loop* loop_ = nullptr;
  StopRequest* stop_ = nullptr;
  [[no_unique_address]] std::conditional_t<std::is_void_v<R>, Nothing,
                                           std::optional<std::conditional_t<std::is_void_v<R>, Nothing, R>>>
      value_;
  std::exception_ptr error_;
};

template <class F, class... Stored>
class [[nodiscard]] CallOp : public AwaitedAnswer<AnswerType<F, Wire<Stored>...>> {
 public:
  using value_type = AnswerType<F, Wire<Stored>...>;

  template <class... A>
  CallOp(rank_t rank, F function, A&&... arguments)
      : rank_(rank), function_(function), arguments_(std::forward<A>(arguments)...) {}
  CallOp(CallOp&&) = default;

  bool await_ready() {
    Context& here = context();
    not_in_handler(here, "call()");
    check_alive(here, rank_);
    this->begin(here, rank_);
    std::apply([&](const auto&... argument) { send_call<F>(here, rank_, this, function_, argument...); },
               arguments_);
    return false;
  }

 private:
  rank_t rank_;
  [[no_unique_address]] F function_;
  std::tuple<Stored...> arguments_;
};

template <class F, class... A>
using CallOf = CallOp<F, StoredAs<A>...>;

template <auto f>
struct FunctionObject {
  template <class... A>
  requires std::is_invocable_v<decltype(f), A...>
  decltype(auto) operator()(A&&... arguments) const { return f(std::forward<A>(arguments)...); }
};

}  // namespace detail

template <class F, class... A>
detail::CallOf<F, A...> call(rank_t rank, F function, A&&... arguments) {
  detail::check_function<F>();
  return {rank, function, std::forward<A>(arguments)...};
}
template <auto f, class... A>
auto call(rank_t rank, A&&... arguments) {
  return call(rank, detail::FunctionObject<f>{}, std::forward<A>(arguments)...);
}

// The same, and nobody waits: it is sent at once. An exception there ends the job.
template <class F, class... A>
void post(rank_t rank, F function, A&&... arguments) {
  detail::check_function<F>();
  detail::Context& here = detail::context();
  detail::not_in_handler(here, "post()");
  detail::send_call<F>(here, rank, nullptr, function, static_cast<const detail::StoredAs<A>&>(arguments)...);
}
template <auto f, class... A>
void post(rank_t rank, A&&... arguments) {
  post(rank, detail::FunctionObject<f>{}, std::forward<A>(arguments)...);
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
