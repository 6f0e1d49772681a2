#include <algorithm>

#include "api/face.hpp"
#include "extended/extended.hpp"
#include "extended/wait_subjects.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;
using extended::Operation;

namespace {

Operation* operation_of(const char* where, gex_Event_t event) {
  if (event == GEX_EVENT_NO_OP) [[unlikely]]
    fatal(where, "GEX_EVENT_NO_OP cannot be completed");
  check_handle(where, event);
  Operation* operation = extended::from_event(event);
  if (!extended::is_live(*operation, event)) [[unlikely]]
    fatal(where, "event %p has been completed before", static_cast<void*>(event));
  return operation;
}

// With its put, its source is free.
bool is_leaf_done(const char* where, gex_Event_t event) {
  check_handle(where, event);
  Operation& put = *extended::from_event(event);
  const bool is_done = !extended::is_live(put, event) ||
                       put.count(extended::OpKind::kPutSource).load(std::memory_order_acquire) == 0;
  if (is_done) trace::timeline::released(extended::root_of(event));
  return is_done;
}

// Consumes the event if its operation is done.
bool try_complete(const char* where, gex_Event_t event) {
  if (event == GEX_EVENT_INVALID) return true;
  if (extended::is_leaf(event)) return is_leaf_done(where, event);
  Operation* operation = operation_of(where, event);
  if (!operation->done()) return false;
  trace::timeline::completed(event);
  extended::OperationPool::give_back(operation);
  return true;
}

struct Completion {
  bool some = false;  // one was completed now, or there was none to begin with
  bool all = true;    // none is left
};

// How many events at the beginning are INVALID (zero), or a few less: many at a time, because operations
// between neighbours are done at once, and their events are then all there is to look at.
std::size_t count_invalid(const gex_Event_t* events, std::size_t count) {
  constexpr std::size_t kAtATime = 8;
  std::size_t i = 0;
  for (; i + kAtATime <= count; i += kAtATime) {
    std::uintptr_t bits = 0;
    for (std::size_t j = 0; j < kAtATime; ++j) bits |= reinterpret_cast<std::uintptr_t>(events[i + j]);
    if (bits != 0) break;
  }
  return i;
}

Completion complete_what_is_done(const char* where, gex_Event_t* events, std::size_t count) {
  Completion completion;
  bool any = false;
  for (std::size_t i = count_invalid(events, count); i < count; ++i) {
    if (events[i] == GEX_EVENT_INVALID) continue;
    any = true;
    if (try_complete(where, events[i])) {
      events[i] = GEX_EVENT_INVALID;
      completion.some = true;
    } else {
      completion.all = false;
    }
  }
  completion.some |= !any;
  return completion;
}

int answer(bool done) {
  if (done) return GASNET_OK;
  core::found_nothing(core::this_thread("gex_Event_Test"), core::Looked::kWithoutPolling);
  return GASNET_ERR_NOT_READY;
}

bool implicit_done(core::Thread& thread, gex_EC_t mask) {
  Operation& implicit = extended::ops(thread).implicit;
  auto clear = [&](extended::OpKind kind) {
    return implicit.count(kind).load(std::memory_order_acquire) == 0;
  };
  if ((mask & GEX_EC_PUT) && !clear(extended::OpKind::kPut)) return false;
  if ((mask & GEX_EC_GET) && !clear(extended::OpKind::kGet)) return false;
  if ((mask & GEX_EC_RMW) && !clear(extended::OpKind::kRmw)) return false;
  if ((mask & GEX_EC_AM) && !clear(extended::OpKind::kMessageSource)) return false;
  if ((mask & GEX_EC_LC) && !clear(extended::OpKind::kPutSource)) return false;
  return true;
}

core::Thread& enter_outside_region(const char* where) {
  core::Thread& thread = enter(where);
  if (extended::ops(thread).region) fatal(where, "may not be called in an access region");
  return thread;
}

}  // namespace

extern "C" {

int aq_event_test_(gex_Event_t event) {
  const trace::Timed timed(trace::Category::kSync, "gex_Event_Test", trace::timeline::Kind::kLook);
  enter("gex_Event_Test");
  return answer(try_complete("gex_Event_Test", event));
}

void aq_event_wait_(gex_Event_t event) {
  const trace::Timed timed(trace::Category::kSync, "gex_Event_Wait");
  core::Thread& thread = enter("gex_Event_Wait");
  if (event == GEX_EVENT_INVALID) return;
  if (extended::is_leaf(event)) {
    core::wait_until(
        thread, core::Scope::kAll, [&] { return is_leaf_done("gex_Event_Wait", event); },
        extended::EventSubject{thread.rank, *extended::from_event(event), "gex_Event_Wait"});
    return;
  }
  Operation* operation = operation_of("gex_Event_Wait", event);
  const auto done = [&] { return operation->done(); };
  const extended::EventSubject subject{thread.rank, *operation, "gex_Event_Wait"};
  if (operation->test && !thread.rank.has_network()) {
    core::wait_until_written(thread, done, subject);  // neighbours bring it about by themselves
  } else {
    core::wait_until(thread, core::Scope::kAll, done, subject);
  }
  trace::timeline::completed(event);
  extended::OperationPool::give_back(operation);
}

int gex_Event_TestSome(gex_Event_t* events, size_t count, gex_Flags_t) {
  const trace::Timed timed(trace::Category::kSync, "gex_Event_TestSome", trace::timeline::Kind::kLook);
  enter("gex_Event_TestSome");
  return answer(complete_what_is_done("gex_Event_TestSome", events, count).some);
}

void gex_Event_WaitSome(gex_Event_t* events, size_t count, gex_Flags_t) {
  const trace::Timed timed(trace::Category::kSync, "gex_Event_WaitSome");
  core::Thread& thread = enter("gex_Event_WaitSome");
  core::look_now_and_then(thread);
  core::wait_until(
      thread, core::Scope::kAll,
      [&] { return complete_what_is_done("gex_Event_WaitSome", events, count).some; },
      core::PlainSubject{observe::WaitKind::kSomeEvents, "gex_Event_WaitSome"});
}

int gex_Event_TestAll(gex_Event_t* events, size_t count, gex_Flags_t) {
  const trace::Timed timed(trace::Category::kSync, "gex_Event_TestAll", trace::timeline::Kind::kLook);
  enter("gex_Event_TestAll");
  return answer(complete_what_is_done("gex_Event_TestAll", events, count).all);
}

void gex_Event_WaitAll(gex_Event_t* events, size_t count, gex_Flags_t) {
  const trace::Timed timed(trace::Category::kSync, "gex_Event_WaitAll");
  core::Thread& thread = enter("gex_Event_WaitAll");
  core::look_now_and_then(thread);
  const auto subject = [&](observe::WaitRecord& record) {
    gex_Event_t* const last =
        std::find_if(events, events + count, [](gex_Event_t event) { return event != GEX_EVENT_INVALID; });
    if (last == events + count) return;
    extended::EventSubject{thread.rank, *extended::from_event(*last), "gex_Event_WaitAll"}(record);
  };
  core::wait_until(
      thread, core::Scope::kAll,
      [&] { return complete_what_is_done("gex_Event_WaitAll", events, count).all; }, subject);
}

gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t category) {
  constexpr const char* kWhere = "gex_Event_QueryLeaf";
  enter(kWhere);
  if (category != GEX_EC_LC) fatal(kWhere, "GEX_EC_LC is the only category that has leaves");
  if (root == GEX_EVENT_INVALID) return GEX_EVENT_INVALID;
  if (extended::is_leaf(root)) fatal(kWhere, "%p is a leaf", static_cast<void*>(root));
  return extended::leaf_of(*operation_of(kWhere, root), root);
}

int gex_NBI_Test(gex_EC_t mask, gex_Flags_t) {
  const trace::Timed timed(trace::Category::kSync, "gex_NBI_Test", trace::timeline::Kind::kLook);
  const bool is_done = implicit_done(enter_outside_region("gex_NBI_Test"), mask);
  if (is_done) trace::timeline::note_implicit(mask);
  return answer(is_done);
}

void gex_NBI_Wait(gex_EC_t mask, gex_Flags_t) {
  const trace::Timed timed(trace::Category::kSync, "gex_NBI_Wait");
  core::Thread& thread = enter_outside_region("gex_NBI_Wait");
  core::look_now_and_then(thread);
  const auto subject = [&](observe::WaitRecord& record) {
    record.kind = observe::WaitKind::kImplicit;
    record.transfer = extended::transfer_in(extended::ops(thread).implicit);
    record.peer = thread.last_transfer;
    record.set_call("gex_NBI_Wait");
  };
  core::wait_until(
      thread, core::Scope::kAll, [&] { return implicit_done(thread, mask); }, subject);
  trace::timeline::note_implicit(mask);
}

void gex_NBI_BeginAccessRegion(gex_Flags_t) {
  const trace::timeline::Slice slice("gex_NBI_BeginAccessRegion", trace::timeline::Kind::kOperation);
  extended::ThreadOps& thread = extended::ops(enter_outside_region("gex_NBI_BeginAccessRegion"));
  thread.region = thread.pool.take();
}

gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t) {
  constexpr const char* kWhere = "gex_NBI_EndAccessRegion";
  const trace::timeline::Slice slice(kWhere, trace::timeline::Kind::kOperation);
  extended::ThreadOps& thread = extended::ops(enter(kWhere));
  Operation* region = thread.region;
  if (!region) fatal(kWhere, "no access region is open");
  thread.region = nullptr;
  if (!region->done() || trace::timeline::is_on()) {
    trace::timeline::started(to_event(region));
    return to_event(region);
  }
  extended::OperationPool::give_back(region);
  return GEX_EVENT_INVALID;
}
}
