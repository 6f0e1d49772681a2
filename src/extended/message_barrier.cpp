#include "extended/message_barrier.hpp"

#include <mutex>

#include "core/am.hpp"
#include "extended/extended.hpp"

namespace aqueduct::extended {

using core::Internal;
using core::Thread;

MessageBarrier::MessageBarrier(DeferredTasks& deferred_tasks, const core::Team& team, bool named)
    : deferred_tasks_(deferred_tasks),
      team_(team),
      channel_(2 * team.id + named),
      lock_(deferred_tasks.are_shared()),
      advancing_(deferred_tasks.are_shared()) {
  while ((std::uint64_t{1} << rounds_) < team.size()) ++rounds_;
}

void MessageBarrier::register_handler(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kBarrier, reinterpret_cast<gex_AM_Fn_t>(&on_message), 5, "barrier");
}

std::uint64_t MessageBarrier::arrive(Thread& thread, BarrierValue value) {
  std::uint64_t ticket;
  {
    const std::lock_guard guard(lock_);
    ticket = arrived_.load(std::memory_order_relaxed) + 1;
    mine_[ticket % 2] = value;  // names are in use one at a time; without names the value is always the same
    arrived_.store(ticket, std::memory_order_relaxed);
  }
  deferred_tasks_.add(*this);
  advance(thread);
  return ticket;
}

void MessageBarrier::on_message(gex_Token_t token, gex_AM_Arg_t channel, gex_AM_Arg_t ticket,
                                gex_AM_Arg_t round, gex_AM_Arg_t kind, gex_AM_Arg_t id) {
  Rank& rank = core::from_handle(token).rank;
  const auto number = static_cast<std::uint32_t>(channel);
  core::Team* team = core::find_team(rank.objects(), number / 2);
  if (!team) fatal("poll", "a barrier of team %u, of which this rank is no member", number / 2);
  auto& barrier = static_cast<MessageBarrier&>(
      (number % 2 != 0 ? *ops(rank).named_barrier : *ops(*team).barrier).inner());
  if (static_cast<unsigned>(round) >= barrier.rounds_)
    fatal("poll", "a barrier of team %u has no round %d", number / 2, round);
  const std::lock_guard guard(barrier.lock_);
  barrier.mail(static_cast<std::uint64_t>(ticket), static_cast<unsigned>(round)) = {
      true, {static_cast<BarrierValue::Kind>(kind), id}};
}

MessageBarrier::Mail& MessageBarrier::mail(std::uint64_t ticket, unsigned round) {
  if (mail_.empty()) mail_.resize(std::size_t{2} * rounds_);
  return mail_[2 * round + ticket % 2];
}

bool MessageBarrier::send_round(Thread& thread) {
  const std::uint64_t ticket = passed_.load(std::memory_order_relaxed) + 1;
  const RankId target =
      team_.job_rank(static_cast<gex_Rank_t>((team_.rank() + (std::uint64_t{1} << round_)) % team_.size()));
  const std::int32_t args[] = {static_cast<std::int32_t>(channel_), static_cast<std::int32_t>(ticket % 2),
                               static_cast<std::int32_t>(round_), known_.kind, known_.id};
  am::Message message;
  message.handler = static_cast<std::uint8_t>(Internal::kBarrier);
  message.nargs = 5;
  message.args = args;
  message.is_bounded = true;  // by the two tickets for which there is mail
  return core::send_request("barrier", thread, target, message, GEX_FLAG_IMMEDIATE) == GASNET_OK;
}

Advance MessageBarrier::advance(Thread& thread) {
  if (!advancing_.try_lock()) return Advance::kWaiting;
  bool idle = false;
  bool moved = false;
  for (;;) {
    const std::uint64_t ticket = passed_.load(std::memory_order_relaxed) + 1;
    idle = arrived_.load(std::memory_order_acquire) < ticket;
    if (idle) break;
    if (round_ == 0 && !sent_) {
      const std::lock_guard guard(lock_);
      known_ = mine_[ticket % 2];
    }
    if (round_ < rounds_) {
      if (!sent_ && !(sent_ = send_round(thread))) break;
      const std::lock_guard guard(lock_);
      Mail& its = mail(ticket, round_);
      if (!its.here) break;
      known_ = combine(known_, its.value);
      its.here = false;
      ++round_;
      sent_ = false;
      continue;
    }
    result_ = known_;
    round_ = 0;
    passed_.store(ticket, std::memory_order_release);
    moved = true;
  }
  advancing_.unlock();
  if (idle) return Advance::kFinished;
  return moved ? Advance::kMoved : Advance::kWaiting;
}

}  // namespace aqueduct::extended
