#include "extended/message_barrier.hpp"

#include <mutex>

#include "core/am.hpp"
#include "extended/extended.hpp"

namespace aqueduct::extended {

using core::Internal;
using core::Thread;

MessageBarrier::MessageBarrier(core::Rank& rank, unsigned instance) : rank_(rank), instance_(instance) {
  while ((std::uint64_t{1} << rounds_) < rank.size()) ++rounds_;
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
  rank_.chores.pending.fetch_add(1, std::memory_order_relaxed);
  advance(thread);
  return ticket;
}

void MessageBarrier::on_message(gex_Token_t token, gex_AM_Arg_t instance, gex_AM_Arg_t ticket,
                                gex_AM_Arg_t round, gex_AM_Arg_t kind, gex_AM_Arg_t id) {
  RankOps& all = ops(core::from_handle(token).rank);
  auto& barrier = static_cast<MessageBarrier&>(instance == 0 ? *all.named_barrier : *all.team_barrier);
  const std::lock_guard guard(barrier.lock_);
  barrier.mail_[static_cast<unsigned>(ticket) % 2][static_cast<unsigned>(round) % kMaxRounds] = {
      true, {static_cast<BarrierValue::Kind>(kind), id}};
}

bool MessageBarrier::send_round(Thread& thread) {
  const std::uint64_t ticket = passed_.load(std::memory_order_relaxed) + 1;
  const RankId target = static_cast<RankId>((rank_.id() + (std::uint64_t{1} << round_)) % rank_.size());
  const std::int32_t args[] = {static_cast<std::int32_t>(instance_), static_cast<std::int32_t>(ticket % 2),
                               static_cast<std::int32_t>(round_), known_.kind, known_.id};
  conduit::Message message;
  message.handler = static_cast<std::uint8_t>(Internal::kBarrier);
  message.nargs = 5;
  message.args = args;
  return core::send_request("barrier", thread, target, message, GEX_FLAG_IMMEDIATE) == GASNET_OK;
}

void MessageBarrier::advance(Thread& thread) {
  if (thread.handling || advancing_.exchange(true, std::memory_order_acquire)) return;
  for (;;) {
    const std::uint64_t ticket = passed_.load(std::memory_order_relaxed) + 1;
    if (arrived_.load(std::memory_order_acquire) < ticket) break;
    if (round_ == 0 && !sent_) {
      const std::lock_guard guard(lock_);
      known_ = mine_[ticket % 2];
    }
    if (round_ < rounds_) {
      if (!sent_ && !(sent_ = send_round(thread))) break;
      const std::lock_guard guard(lock_);
      Mail& mail = mail_[ticket % 2][round_];
      if (!mail.here) break;
      known_ = combine(known_, mail.value);
      mail.here = false;
      ++round_;
      sent_ = false;
      continue;
    }
    result_ = known_;
    round_ = 0;
    rank_.chores.pending.fetch_sub(1, std::memory_order_relaxed);
    passed_.store(ticket, std::memory_order_release);
  }
  advancing_.store(false, std::memory_order_release);
}

}  // namespace aqueduct::extended
