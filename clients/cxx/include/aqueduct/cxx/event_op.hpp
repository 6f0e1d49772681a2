// Awaiting an operation of the library: derived from by what starts one. An operation begins when it is
// awaited; what is complete at once, as most things between neighbours are, does not suspend.
#ifndef AQUEDUCT_CXX_EVENT_OP_HPP_
#define AQUEDUCT_CXX_EVENT_OP_HPP_

#include "aqueduct/cxx/context.hpp"
#include "aqueduct/cxx/stop.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

class EventOp {
 public:
  EventOp() = default;
  // Only before it has begun.
  EventOp(const EventOp&) noexcept {}
  EventOp& operator=(const EventOp&) = delete;

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> continuation) {
    stop_ = stop_of(continuation);
    work_.continuation = continuation;
    work_.run = [](Work* work) { static_cast<Waiting*>(work)->continuation.resume(); };
    this_loop(context()).wait_for(&work_);
  }

 protected:
  // True if it is complete.
  [[gnu::always_inline]] bool began(gex_Event_t event) noexcept {
    work_.event = event;
    return event == GEX_EVENT_INVALID;
  }
  [[gnu::always_inline]] void check_stopped() const { check_stop(stop_); }
  // At the end of an operation on one rank.
  [[gnu::always_inline]] void check_end(rank_t rank) const {
    check_stopped();
    check_alive(context(), rank);
  }

 private:
  struct Waiting : EventWork {
    std::coroutine_handle<> continuation;
  };
  Waiting work_;
  StopRequest* stop_ = nullptr;  // of a coroutine that waits
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
