// batch: many operations that are awaited together, without a coroutine for each.
//
//   aqueduct::batch all;
//   for (std::size_t i = 0; i < n; ++i) all.rput(values[i], places[i]);
//   all.call(rank, [](std::string_view name) { greet(name); }, name);
//   co_await all;
//
// Operations begin when they are added. The batch stays where it is until they are done; awaiting it throws
// what went wrong first. It can be used again then. One thread adds and awaits.
#ifndef AQUEDUCT_CXX_BATCH_HPP_
#define AQUEDUCT_CXX_BATCH_HPP_

#include "aqueduct/cxx/call.hpp"
#include "aqueduct/cxx/rma.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

class batch {
 public:
  batch() {
    answers_.arrive = [](detail::Answer* answer, rank_t peer, detail::AnswerKind kind,
                         const std::byte* payload, std::size_t size) {
      static_cast<Answers*>(answer)->owner->take(peer, kind, payload, size);
    };
    answers_.owner = this;
  }
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;
  ~batch() {
    if (left_ != 0)
      detail::fatal("a batch ends while %zu of its operations are under way: co_await it", pending());
  }

  // How many are not done.
  std::size_t pending() const noexcept { return left_; }

  template <detail::Transferable T>
  void rput(const std::type_identity_t<T>& value, global_ptr<T> to) {
    detail::Context& here = detail::context();
    detail::not_in_handler(here, "rput()");
    add(here, to.rank(),
        gex_RMA_PutNB(here.world, to.rank(), to.at_owner(), &value, sizeof(T), GEX_EVENT_NOW, 0));
  }
  // What a range refers to stays until the batch is done.
  template <detail::Transferable T>
  void rput(std::span<const std::type_identity_t<T>> from, global_ptr<T> to) {
    detail::Context& here = detail::context();
    detail::not_in_handler(here, "rput()");
    add(here, to.rank(),
        gex_RMA_PutNB(here.world, to.rank(), to.at_owner(), from.data(), from.size_bytes(), GEX_EVENT_DEFER,
                      0));
  }
  template <detail::Transferable T>
  void rget(global_ptr<T> from, std::span<std::type_identity_t<std::remove_const_t<T>>> to) {
    detail::Context& here = detail::context();
    detail::not_in_handler(here, "rget()");
    add(here, from.rank(),
        gex_RMA_GetNB(here.world, to.data(), from.rank(),
                      const_cast<std::remove_const_t<T>*>(from.at_owner()), to.size_bytes(), 0));
  }
  template <detail::Transferable T>
  void rget(global_ptr<T> from, std::remove_const_t<T>& to) {
    rget(from, std::span(&to, 1));
  }

  // A call whose answer says no more than that it has run.
  template <class F, class... A>
  void call(rank_t rank, F function, A&&... arguments) {
    detail::check_function<F>();
    detail::Context& here = detail::context();
    detail::not_in_handler(here, "call()");
    detail::check_alive(here, rank);
    begin(here);
    detail::Answer* const answer = here.reports_failures ? one_answer(rank) : &answers_;
    detail::send_call<F>(here, rank, answer, function, static_cast<const detail::StoredAs<A>&>(arguments)...);
  }

  // When all are done. Afterwards the batch is empty. (The operator is for GCC 12, which copies what a lambda
  // has captured and awaits.)
  auto operator co_await() noexcept { return Awaiter{*this}; }
  bool await_ready() const noexcept { return left_ == 0; }
  bool await_suspend(std::coroutine_handle<> continuation) noexcept {
    waiter_.continuation = continuation;
    waiter_.run = [](detail::Work* work) { static_cast<Waiter*>(work)->continuation.resume(); };
    is_awaited_ = true;
    // The last one may have gone before it could know.
    return left_ != 0 || !stop_waiting();
  }
  void await_resume() {
    if (error_) [[unlikely]] {
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
  }

 private:
  struct Answers : detail::Answer {
    batch* owner = nullptr;
  };
  struct Awaiter {
    batch& of;
    bool await_ready() const noexcept { return of.await_ready(); }
    bool await_suspend(std::coroutine_handle<> continuation) const noexcept {
      return of.await_suspend(continuation);
    }
    void await_resume() const { of.await_resume(); }
  };
  struct PendingEvent : detail::EventWork {
    batch* owner = nullptr;
    rank_t peer = 0;
  };
  struct Waiter : detail::Work {
    std::coroutine_handle<> continuation;
  };

  // True for one of those who ask.
  bool stop_waiting() noexcept { return exchange(is_awaited_); }
  static bool exchange(bool& flag) noexcept { return std::exchange(flag, false); }
  static bool exchange(std::atomic<bool>& flag) noexcept { return flag.exchange(false); }
  void begin(detail::Context& here) {
    loop_ = &detail::this_loop(here);
    ++left_;
  }
  [[gnu::always_inline]] void add(detail::Context& here, rank_t peer, gex_Event_t event) {
    if (event == GEX_EVENT_INVALID && !here.reports_failures) [[likely]] {
      return;
    }
    wait_for(here, peer, event);
  }
  void wait_for(detail::Context& here, rank_t peer, gex_Event_t event) {
    begin(here);
    PendingEvent* const work = detail::make_pooled<PendingEvent>();
    work->event = event;
    work->owner = this;
    work->peer = peer;
    work->run = [](detail::Work* done) {
      PendingEvent* const self = static_cast<PendingEvent*>(done);
      batch* const owner = self->owner;
      try {
        detail::check_alive(detail::context(), self->peer);
      } catch (...) {
        owner->keep(std::current_exception());
      }
      detail::release_pooled(self);
      owner->one_done();
    };
    loop_->wait_for(work);
  }
  detail::Answer* one_answer(rank_t rank) {
    Answers* const one = detail::make_pooled<Answers>();
    one->peer = rank;
    one->owner = this;
    one->arrive = [](detail::Answer* answer, rank_t peer, detail::AnswerKind kind, const std::byte* payload,
                     std::size_t size) {
      Answers* const self = static_cast<Answers*>(answer);
      batch* const owner = self->owner;
      detail::release_pooled(self);
      owner->take(peer, kind, payload, size);
    };
    return one;
  }
  // In a handler; of any thread.
  void take(rank_t peer, detail::AnswerKind kind, const std::byte* payload, std::size_t size) {
    if (kind != detail::AnswerKind::kValue) [[unlikely]] {
      if (kind == detail::AnswerKind::kPeerFailed) {
        keep(std::make_exception_ptr(peer_failed(peer)));
      } else {
        keep(std::make_exception_ptr(
            remote_error(peer, std::string(reinterpret_cast<const char*>(payload), size))));
      }
    }
    one_done();
  }
  void keep(std::exception_ptr error) {
    const std::lock_guard lock(error_lock_);
    if (!error_) error_ = std::move(error);
  }
  void one_done() {
    if (--left_ == 0 && stop_waiting()) loop_->push(&waiter_);
  }

  Answers answers_;
  std::conditional_t<detail::kThreads, std::atomic<std::size_t>, std::size_t> left_{0};
  std::conditional_t<detail::kThreads, std::atomic<bool>, bool> is_awaited_{false};
  detail::Loop* loop_ = nullptr;
  Waiter waiter_;
  std::exception_ptr error_;
  detail::SpinLock error_lock_;
};

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
