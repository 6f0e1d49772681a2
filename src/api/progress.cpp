#include "core/progress.hpp"

#include <algorithm>
#include <new>

#include "api/face.hpp"
#include "aqueduct/wait.h"
#include "trace/trace.hpp"
#include "world/world.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

/// What lies in an aq_wait_.
struct BlockUntil {
  core::Wait wait;
  union {
    trace::timeline::Slice slice;  ///< if the wait is recorded
  };

  // A handler runs no other requests, as while it waits to reply.
  explicit BlockUntil(core::Thread& thread)
      : wait(thread, thread.handling ? core::Scope::kReplies : core::Scope::kAll, thread.client_wait) {
    wait.limit_sleep(thread.client_wait.longest_sleep_us);
  }
  ~BlockUntil() {
    if (wait.is_recorded()) slice.~Slice();
  }
  [[gnu::cold, gnu::noinline]] void record();
  static BlockUntil& in(aq_wait_* place) { return *std::launder(reinterpret_cast<BlockUntil*>(place)); }
};
static_assert(sizeof(BlockUntil) <= sizeof(aq_wait_));
static_assert(alignof(BlockUntil) <= alignof(aq_wait_));

void BlockUntil::record() {
  new (&slice) trace::timeline::Slice("GASNET_BLOCKUNTIL", trace::timeline::Kind::kWait);
  wait.mark_recorded();
  slice.record().local |= trace::timeline::kTrueAtOnce;  // until it goes on
  trace::timeline::note_end_of_wait();
}

// GASNet-EX checks nothing where the client is not compiled for debugging. What cannot end well is refused
// here all the same.
[[gnu::cold, gnu::noinline]] void may_block_in_handler(const core::Thread& thread) {
  constexpr const char* kWhere = "GASNET_BLOCKUNTIL";
  core::refuse_outside_handlers(kWhere, thread);
  if (thread.rank.options().debug_client) not_in_handler(kWhere, thread);
}

[[gnu::noinline]] int poll_in_full() {
  const trace::timeline::Slice slice("gasnet_AMPoll", trace::timeline::Kind::kLook);
  core::Thread& thread = core::this_thread("gasnet_AMPoll");
  not_in_handler("gasnet_AMPoll", thread);
  if (trace::on(trace::Category::kPoll)) [[unlikely]]
    trace::note(trace::Category::kPoll, "gasnet_AMPoll", 0, "looks for messages");
  if (core::poll(thread, core::Scope::kAll) == 0) core::found_nothing(thread, core::Looked::kForMessages);
  return GASNET_OK;
}

}  // namespace

extern "C" {

int gasnet_AMPoll(void) {
  core::Thread* const thread = core::current_thread();
  if (thread && !thread->handling && !trace::on(trace::Category::kPoll) && core::would_poll_in_vain(*thread))
      [[likely]]
    return GASNET_OK;
  return poll_in_full();
}

int gasnet_set_waitmode(int wait_mode) {
  constexpr const char* kWhere = "gasnet_set_waitmode";
  core::Rank& rank = core::this_thread(kWhere).rank;
  WaitPolicy wait_policy = rank.world().wait_policy(rank.threaded());
  switch (wait_mode) {
    case GASNET_WAIT_SPIN:
      wait_policy.may_sleep = false;
      break;
    case GASNET_WAIT_BLOCK: {
      const std::uint64_t usual_yield_ns = wait_policy.yield_ns;
      wait_policy = WaitPolicy::blocking(rank.place().machine_ranks, rank.place().cores);
      wait_policy.yield_ns = std::min(wait_policy.yield_ns, usual_yield_ns);
      break;
    }
    case GASNET_WAIT_SPINBLOCK:
      break;
    default:
      return returned_error(kWhere, GASNET_ERR_BAD_ARG, "not one of GASNET_WAIT_SPIN, _BLOCK, _SPINBLOCK");
  }
  rank.wait_policy = wait_policy;
  return GASNET_OK;
}

void aqueduct_wait_for(const char* what, gex_Rank_t rank) {
  core::Thread& thread = core::this_thread("aqueduct_wait_for");
  thread.client_wait.what = what;
  thread.client_wait.peer = what && rank < thread.rank.size() ? rank : kNoRank;
}

void aqueduct_wait_sleeps(std::uint32_t longest_us) {
  core::this_thread("aqueduct_wait_sleeps").client_wait.longest_sleep_us =
      longest_us != 0 ? longest_us : ~std::uint32_t{0};
}

void aq_wait_begin_(struct aq_wait_* wait) {
  core::Thread& thread = core::this_thread("GASNET_BLOCKUNTIL");
  if (thread.handling) [[unlikely]]
    may_block_in_handler(thread);
  auto* const begun = new (wait) BlockUntil(thread);
  if (trace::timeline::is_on()) [[unlikely]]
    begun->record();
}
void aq_wait_step_(struct aq_wait_* wait) {
  BlockUntil& begun = BlockUntil::in(wait);
  if (begun.wait.is_recorded()) [[unlikely]]
    begun.slice.go_on();
  begun.wait.step();
}
void aq_wait_end_(struct aq_wait_* wait) { BlockUntil::in(wait).~BlockUntil(); }
}
