#include "clients/caf/atomic_words.hpp"

#include <gasnet_ratomic.h>

namespace aqueduct::caf {
namespace {

gex_AD_t domain_4, domain_8;

template <class Word>
Word apply_here(AtomicOp op, Word* at, Word operand, Word compare) {
  switch (op) {
    case AtomicOp::kGet:
      return __atomic_load_n(at, __ATOMIC_ACQUIRE);
    case AtomicOp::kSet:
      return __atomic_exchange_n(at, operand, __ATOMIC_ACQ_REL);
    case AtomicOp::kAdd:
      return __atomic_fetch_add(at, operand, __ATOMIC_ACQ_REL);
    case AtomicOp::kAnd:
      return __atomic_fetch_and(at, operand, __ATOMIC_ACQ_REL);
    case AtomicOp::kOr:
      return __atomic_fetch_or(at, operand, __ATOMIC_ACQ_REL);
    case AtomicOp::kXor:
      return __atomic_fetch_xor(at, operand, __ATOMIC_ACQ_REL);
    case AtomicOp::kCompareSwap:
      __atomic_compare_exchange_n(at, &compare, operand, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      return compare;
  }
  return 0;
}

gex_OP_t opcode_of(AtomicOp op) {
  constexpr gex_OP_t kCodes[] = {GEX_OP_GET, GEX_OP_SWAP, GEX_OP_FADD, GEX_OP_FAND,
                                 GEX_OP_FOR, GEX_OP_FXOR, GEX_OP_FCAS};
  return kCodes[static_cast<int>(op)];
}

}  // namespace

void begin_atomics() {
  const gex_OP_t all =
      GEX_OP_GET | GEX_OP_SWAP | GEX_OP_FADD | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR | GEX_OP_FCAS;
  gex_AD_Create(&domain_4, job.world, GEX_DT_U32, all, 0);
  gex_AD_Create(&domain_8, job.world, GEX_DT_U64, all, 0);
}

std::uint64_t apply_atomic(AtomicOp op, gex_Rank_t rank, std::size_t offset, int bytes, std::uint64_t operand,
                           std::uint64_t compare) {
  if (char* const here = job.peers[rank].here) {
    if (bytes == 8) return apply_here(op, reinterpret_cast<std::uint64_t*>(here + offset), operand, compare);
    return apply_here(op, reinterpret_cast<std::uint32_t*>(here + offset),
                      static_cast<std::uint32_t>(operand), static_cast<std::uint32_t>(compare));
  }
  // The library's order of operands is: what is compared, what is stored.
  const bool compares = op == AtomicOp::kCompareSwap;
  const std::uint64_t first = compares ? compare : operand, second = operand;
  void* const target = owner_address(rank, offset);
  if (bytes == 8) {
    std::uint64_t before = 0;
    gex_Event_Wait(gex_AD_OpNB_U64(domain_8, &before, rank, target, opcode_of(op), first, second, 0));
    return before;
  }
  std::uint32_t before = 0;
  gex_Event_Wait(gex_AD_OpNB_U32(domain_4, &before, rank, target, opcode_of(op),
                                 static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second), 0));
  return before;
}

}  // namespace aqueduct::caf
