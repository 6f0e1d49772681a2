#include "api/collectives.hpp"
#include "base/race_hints.hpp"
#include "extended/wait_subjects.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;
using extended::Barrier;
using extended::BarrierValue;
using extended::Operation;

namespace {

BarrierValue value_of(int id, int flags) {
  if (flags & GASNET_BARRIERFLAG_MISMATCH) return {BarrierValue::kMismatch, 0};
  if (flags & GASNET_BARRIERFLAG_ANONYMOUS) return {};
  return {BarrierValue::kNamed, id};
}

Barrier& enter_team_barrier(const char* where, core::Thread& thread, gex_TM_t tm) {
  core::Team& members = team(where, tm);
  check_collective(where, thread, members, Kind::kBarrier);
  return *extended::ops(members).barrier;
}

// The barriers of gasnet_barrier_notify count by themselves.
constexpr std::uint32_t kNamedBarriers = ~std::uint32_t{0};

bool has_passed(Barrier& barrier, std::uint64_t ticket) {
  const bool has = barrier.passed(ticket);
  if (has) others_have_followed();
  return has;
}

void wait_for(core::Thread& thread, Barrier& barrier, std::uint64_t ticket,
              const extended::TeamSubject& subject) {
  const auto condition = [&] { return has_passed(barrier, ticket); };
  if (barrier.passes_without_polls()) {
    core::wait_until_written(thread, condition, subject);
  } else {
    core::wait_until(thread, core::Scope::kAll, condition, subject);
  }
}

/// Arrives, and counts that for those who look who is missing.
std::uint64_t arrive(core::Thread& thread, core::Team& team, Barrier& barrier) {
  others_may_follow();
  const std::uint64_t ticket = barrier.arrive(thread, {});
  trace::timeline::describe_barrier(team.id, ticket);
  observe::TeamProgress::count(thread.rank.own_record().team(extended::ops(team).progress_slot).barriers);
  thread.record->counters.barriers.add();
  return ticket;
}

bool team_barrier_passed(Operation& operation) {
  return has_passed(*static_cast<Barrier*>(operation.test_subject), operation.test_detail);
}

// Ends the split phase: what the ranks agreed on, held against what this rank now says.
int conclude(extended::RankOps& state, int id, int flags) {
  state.named_notified = false;
  state.named_result = state.named_barrier->value();
  const BarrierValue here = combine(state.named_result, value_of(id, flags));
  return here.kind == BarrierValue::kMismatch ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

extended::RankOps& after_notify(const char* where, core::Thread& thread) {
  extended::RankOps& state = extended::ops(thread.rank);
  if (!state.named_notified) fatal(where, "gasnet_barrier_notify has not been called");
  return state;
}

}  // namespace

extern "C" {

gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t) {
  constexpr const char* kWhere = "gex_Coll_BarrierNB";
  const trace::Timed timed(trace::Category::kBarrier, kWhere);
  core::Thread& thread = enter(kWhere);
  Barrier& barrier = enter_team_barrier(kWhere, thread, tm);
  core::Team& members = team(kWhere, tm);
  const std::uint64_t ticket = arrive(thread, members, barrier);
  if (has_passed(barrier, ticket) && !trace::timeline::is_on()) return GEX_EVENT_INVALID;
  Operation* operation = extended::ops(thread).pool.take();
  operation->nature = extended::OpNature::kBarrier;
  operation->team_slot = extended::ops(members).progress_slot;
  operation->test = team_barrier_passed;
  operation->test_subject = &barrier;
  operation->test_detail = ticket;
  trace::timeline::started(to_event(operation));
  return to_event(operation);
}

void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t) {
  constexpr const char* kWhere = "gex_Coll_BarrierBlocking";
  const trace::Timed timed(trace::Category::kBarrier, kWhere);
  core::Thread& thread = enter(kWhere);
  Barrier& barrier = enter_team_barrier(kWhere, thread, tm);
  core::Team& members = team(kWhere, tm);
  const std::uint64_t ticket = arrive(thread, members, barrier);
  wait_for(thread, barrier, ticket,
           {thread.rank, extended::ops(members).progress_slot, observe::WaitKind::kBarrier, ticket, kWhere});
}

void gasnet_barrier_notify(int id, int flags) {
  constexpr const char* kWhere = "gasnet_barrier_notify";
  const trace::Timed timed(trace::Category::kBarrier, kWhere);
  core::Thread& thread = enter(kWhere);
  extended::RankOps& state = extended::ops(thread.rank);
  if (state.named_notified)
    fatal(kWhere, "called twice without gasnet_barrier_wait or a successful try between");
  state.named_notified = true;
  others_may_follow();
  state.named_ticket = state.named_barrier->arrive(thread, value_of(id, flags));
  trace::timeline::describe_barrier(kNamedBarriers, state.named_ticket);
  observe::TeamProgress::count(thread.rank.own_record().team(core::OwnRecord::kWorldSlot).named_barriers);
  thread.record->counters.barriers.add();
}

int gasnet_barrier_wait(int id, int flags) {
  constexpr const char* kWhere = "gasnet_barrier_wait";
  const trace::Timed timed(trace::Category::kBarrier, kWhere);
  core::Thread& thread = enter(kWhere);
  extended::RankOps& state = after_notify(kWhere, thread);
  wait_for(thread, *state.named_barrier, state.named_ticket,
           {thread.rank, core::OwnRecord::kWorldSlot, observe::WaitKind::kNamedBarrier, state.named_ticket,
            kWhere});
  trace::timeline::note_end_of_wait();
  return conclude(state, id, flags);
}

int gasnet_barrier_try(int id, int flags) {
  constexpr const char* kWhere = "gasnet_barrier_try";
  const trace::Timed timed(trace::Category::kBarrier, kWhere, trace::timeline::Kind::kLook);
  core::Thread& thread = enter(kWhere);
  extended::RankOps& state = after_notify(kWhere, thread);
  core::poll(thread, core::Scope::kAll);
  if (!has_passed(*state.named_barrier, state.named_ticket)) {
    core::found_nothing(thread, core::Looked::kForMessages);
    return GASNET_ERR_NOT_READY;
  }
  trace::timeline::note_end_of_wait();
  return conclude(state, id, flags);
}

int gasnet_barrier(int id, int flags) {
  gasnet_barrier_notify(id, flags);
  return gasnet_barrier_wait(id, flags);
}

int gasnet_barrier_result(int* id_p) {
  constexpr const char* kWhere = "gasnet_barrier_result";
  const extended::RankOps& state = extended::ops(enter(kWhere).rank);
  if (state.named_result.kind != BarrierValue::kNamed) return 1;
  if (id_p) *id_p = state.named_result.id;
  return 0;
}
}
