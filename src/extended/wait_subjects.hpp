// What waits of Extended and of the interface are for, in the terms of a report (core/wait_subject.hpp).
#pragma once
#include "core/rank.hpp"
#include "core/wait_subject.hpp"
#include "extended/operation.hpp"

namespace aqueduct::extended {

/// Which kind of transfer an operation still counts.
inline observe::TransferKind transfer_in(Operation& operation) {
  constexpr observe::TransferKind kOf[kOpKinds] = {
      observe::TransferKind::kPut, observe::TransferKind::kGet, observe::TransferKind::kAtomic,
      observe::TransferKind::kMessage, observe::TransferKind::kPut};
  for (unsigned kind = 0; kind < kOpKinds; ++kind) {
    if (operation.pending[kind].load(std::memory_order_relaxed) != 0) return kOf[kind];
  }
  return observe::TransferKind::kNone;
}

inline RankId peer_in(const Operation& operation) {
  return operation.peer == 0 ? kNoRank : static_cast<RankId>(operation.peer - 1);
}

/// At a barrier or collective of the team with this slot.
struct TeamSubject {
  core::Rank& rank;
  unsigned slot;
  observe::WaitKind kind;
  std::uint64_t number;
  const char* call;

  void operator()(observe::WaitRecord& record) const {
    const observe::TeamProgress& team = rank.own_record().team(slot);
    record.kind = kind;
    record.set_call(call);
    record.number = number;
    if (slot == core::OwnRecord::kNoSlot) return;
    record.team = team.id_plus_one.load(std::memory_order_relaxed) - 1;
    if (number == 0) record.number = team.collectives.load(std::memory_order_relaxed);
  }
};

/// For the event of an operation.
struct EventSubject {
  core::Rank& rank;
  Operation& operation;
  const char* call;

  void operator()(observe::WaitRecord& record) const {
    if (operation.nature == OpNature::kBarrier)
      return TeamSubject{rank, operation.team_slot, observe::WaitKind::kBarrier, operation.test_detail,
                         call}(record);
    if (operation.nature == OpNature::kCollective)
      return TeamSubject{rank, operation.team_slot, observe::WaitKind::kCollective, 0, call}(record);
    record.kind = observe::WaitKind::kEvent;
    record.transfer = transfer_in(operation);
    record.peer = peer_in(operation);
    record.set_call(call);
  }
};

/// For an operation that is waited for in the call that started it.
struct TransferSubject {
  observe::TransferKind transfer;
  RankId peer;
  const char* call;

  void operator()(observe::WaitRecord& record) const {
    record.kind = observe::WaitKind::kEvent;
    record.transfer = transfer;
    record.peer = peer;
    record.set_call(call);
  }
};

}  // namespace aqueduct::extended
