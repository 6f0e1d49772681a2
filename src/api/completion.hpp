// The three ways in which a client waits for what it starts: blocking, by an event, or with its implicit
// operations.
//
// Each takes `start(thread, pending)`, which begins the operation, counts in `pending` what is not complete
// when it returns, and answers how it went.
#pragma once
#include "extended/rma.hpp"
#include "extended/wait_subjects.hpp"
#include "trace/timeline.hpp"

namespace aqueduct::api {

namespace timeline = trace::timeline;

template <class Start>
int blocking(const char* where, Start&& start) {
  timeline::Slice slice(where, timeline::Kind::kOperation);
  core::Thread& thread = core::this_thread(where);
  extended::Pending pending{0};
  if (start(thread, pending) == extended::Started::kNotNow) {
    slice.mark_not_started();
    return GASNET_ERR_NOT_READY;
  }
  const auto done = [&] { return pending.load(std::memory_order_acquire) == 0; };
  if (done()) {
    core::look_now_and_then(thread);
  } else {
    core::wait_until(thread, core::Scope::kAll, done,
                     extended::TransferSubject{observe::TransferKind::kNone, thread.last_transfer, where});
  }
  return GASNET_OK;
}

/// The same, but `start(thread, operation)` chooses itself where in the operation it counts.
template <class Start>
gex_Event_t event_of(const char* where, Start&& start) {
  timeline::Slice slice(where, timeline::Kind::kOperation);
  core::Thread& thread = core::this_thread(where);
  extended::Operation* operation = extended::ops(thread).pool.take();
  const extended::Started started = start(thread, *operation);
  core::look_now_and_then(thread);
  if (started == extended::Started::kNotNow) slice.mark_not_started();
  const bool has_event =
      started == extended::Started::kStarted || (started == extended::Started::kDone && timeline::is_on());
  if (has_event) {
    timeline::started(to_event(operation));
    operation->peer = std::uint64_t{thread.last_transfer} + 1;
    return to_event(operation);
  }
  extended::OperationPool::give_back(operation);
  return started == extended::Started::kDone ? GEX_EVENT_INVALID : GEX_EVENT_NO_OP;
}

template <class Start>
gex_Event_t explicit_event(const char* where, extended::OpKind kind, Start&& start) {
  return event_of(where, [&](core::Thread& thread, extended::Operation& operation) {
    return start(thread, operation.count(kind));
  });
}

template <class Start>
int implicit(const char* where, extended::OpKind kind, Start&& start) {
  timeline::Slice slice(where, timeline::Kind::kOperation);
  core::Thread& thread = core::this_thread(where);
  extended::Pending& pending = extended::ops(thread).current().count(kind);
  const extended::Started started = start(thread, pending);
  core::look_now_and_then(thread);
  if (started == extended::Started::kNotNow) slice.mark_not_started();
  return started == extended::Started::kNotNow ? GASNET_ERR_NOT_READY : GASNET_OK;
}

/// Whether lc is the address of an event, and none of the constants.
inline bool is_clients_event(const gex_Event_t* lc) {
  return reinterpret_cast<std::uintptr_t>(lc) > reinterpret_cast<std::uintptr_t>(GEX_EVENT_GROUP);
}

/// The event of a message's local completion, which is all that a message has: runs `start(unreleased)`,
/// which counts there what is still being read.
template <class Start>
gex_Event_t leaf_event(const char* where, extended::OpKind kind, Start&& start) {
  extended::Operation* const leaf = extended::ops(core::this_thread(where)).pool.take();
  start(leaf->count(kind));
  if (!leaf->done()) return to_event(leaf);
  extended::OperationPool::give_back(leaf);
  return GEX_EVENT_INVALID;
}

}  // namespace aqueduct::api
