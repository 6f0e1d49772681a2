// What one rank of a job knows. In a live job there is one in a process; in a simulation all ranks are in one
// process, so that nothing of a rank is in a global variable: context() finds that of the rank that asks.
#ifndef AQUEDUCT_CXX_CONTEXT_HPP_
#define AQUEDUCT_CXX_CONTEXT_HPP_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "aqueduct/cxx/function_table.hpp"
#include "aqueduct/cxx/loop.hpp"
#include "aqueduct/cxx/shared_heap.hpp"
#include "aqueduct/failure.h"

namespace aqueduct {
inline namespace AQ_CXX_ {

class job;

namespace detail {

struct Answer;
struct Deferred;

struct Context {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_EP_t ep = GEX_EP_INVALID;
  gex_TM_t world = GEX_TM_INVALID;
  rank_t rank = 0;
  rank_t size = 0;
  bool is_simulated = false;
  bool reports_failures = false;
  rank_t ranks_per_neighbourhood = 0;  // if neighbours are so many consecutive ranks everywhere; else 0
  int handler_depth = 0;               // in handlers of this rank; of many threads, see in_handler()
  Loop main_loop;

  // Active messages (call_protocol.hpp): numbers of the handlers, and limits that hold for all peers.
  const Function* const* functions = nullptr;
  std::size_t function_count = 0;
  gex_AM_Index_t handlers[8] = {};
  std::size_t largest_request = 0;
  std::size_t largest_reply = 0;
  std::size_t largest_long = 0;

  SharedHeap heap;
  std::uintptr_t segment_begin = 0;

  // Objects that are known by the same number at all ranks (distributed.hpp), and calls that came before
  // theirs.
  std::unordered_map<std::uint64_t, void*> objects;
  std::unordered_map<std::uint64_t, std::vector<Deferred*>> early_calls;
  std::unordered_map<std::uint64_t, std::uint32_t> objects_made;  // by team
  SpinLock objects_lock;
  // Those that packets were for lately, by number (records.hpp); in programs of one thread.
  struct {
    std::uint64_t number = 0;
    void* object = nullptr;
  } recent_objects[4];

  // Answers that are expected, where ranks may die without having given them (failure_watch.hpp).
  std::unordered_map<std::uint64_t, Answer*> expected;
  std::uint64_t next_expected = 1;
  SpinLock expected_lock;

  std::atomic<std::uint64_t> background{0};  // spawned tasks that are not done

  gex_AD_t domains[6] = {};  // of atomics, by type (atomic_ref.hpp)
};

inline constinit Context* live_context = nullptr;
inline constinit std::vector<Context*>* simulated_contexts = nullptr;  // by rank

[[gnu::noinline]] inline Context& other_context() {
  if (simulated_contexts && aqueduct_sim_active()) {
    if (Context* const context = (*simulated_contexts)[gex_System_QueryJobRank()]) return *context;
  }
  std::fputs("aqueduct: there is no job: make an aqueduct::job first, and keep it until the end\n", stderr);
  std::abort();
}

[[gnu::always_inline]] inline Context& context() {
  if (Context* const live = live_context) [[likely]] {
    return *live;
  }
  return other_context();
}

inline constinit thread_local Loop* own_loop = nullptr;

[[gnu::noinline]] inline Loop* make_own_loop() {
  static thread_local Loop loop;
  return own_loop = &loop;
}

// The loop of the thread that asks; the job's own is that of the thread that has made the job. Simulated
// ranks have one thread between them, and so a loop each.
[[gnu::always_inline]] inline Loop& this_loop(Context& context) {
  if constexpr (kThreads) {
    if (!context.is_simulated) return own_loop ? *own_loop : *make_own_loop();
  }
  return context.main_loop;
}

// Whether the caller is a function that another rank's message runs.
struct HandlerDepth {
  static int& get(Context& context) {
    if constexpr (kThreads) {
      static thread_local int depth = 0;
      if (!context.is_simulated) return depth;
    }
    return context.handler_depth;
  }
  explicit HandlerDepth(Context& context) : depth(get(context)) { ++depth; }
  ~HandlerDepth() { --depth; }
  HandlerDepth(const HandlerDepth&) = delete;
  HandlerDepth& operator=(const HandlerDepth&) = delete;
  int& depth;
};

[[gnu::cold, noreturn]] inline void fatal_in_handler(const char* what) {
  fatal(
      "%s in a function that a message runs, which may not wait or send: let the function return an "
      "aqueduct::task",
      what);
}

[[gnu::always_inline]] inline void not_in_handler(Context& context, const char* what) {
  if (HandlerDepth::get(context)) [[unlikely]] {
    fatal_in_handler(what);
  }
}

// An operation on `rank`, a rank in the job, has completed: throws if that was because the rank has died.
[[gnu::always_inline]] inline void check_alive(const Context& context, rank_t rank) {
  if (context.reports_failures && aqueduct_has_failed(context.world, rank)) [[unlikely]] {
    throw peer_failed(rank);
  }
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
