#include "extended/native_atomic.hpp"

#include <bit>
#include <cstring>

namespace aqueduct::extended {
namespace {

using conduit::AtomicAction;
using conduit::AtomicType;

// In the order of the bits of gex_DT_t.
constexpr AtomicType kTypes[] = {AtomicType::kI32, AtomicType::kU32,   AtomicType::kI64,
                                 AtomicType::kU64, AtomicType::kFloat, AtomicType::kDouble};
static_assert(GEX_DT_I32 == 1 && GEX_DT_U32 == 2 && GEX_DT_I64 == 4 && GEX_DT_U64 == 8 && GEX_DT_FLT == 16 &&
              GEX_DT_DBL == 32);

AtomicType type_of(gex_DT_t type) { return kTypes[std::countr_zero(type)]; }

gex_OP_t without_fetching(gex_OP_t operation) {
  const bool has_plain_form = AQ_OP_FETCHES_(operation) && operation != GEX_OP_GET;
  return has_plain_form ? GEX_OP_TO_NONFETCHING(operation) : operation;
}

AtomicAction action_of(gex_OP_t operation) {
  switch (without_fetching(operation)) {
    case GEX_OP_GET:
      return AtomicAction::kRead;
    case GEX_OP_SET:
      return AtomicAction::kWrite;
    case GEX_OP_CAS:
      return AtomicAction::kCompareSwap;
    case GEX_OP_MULT:
      return AtomicAction::kMultiply;
    case GEX_OP_MIN:
      return AtomicAction::kMin;
    case GEX_OP_MAX:
      return AtomicAction::kMax;
    case GEX_OP_AND:
      return AtomicAction::kAnd;
    case GEX_OP_OR:
      return AtomicAction::kOr;
    case GEX_OP_XOR:
      return AtomicAction::kXor;
    default:
      return AtomicAction::kAdd;  // and SUB, INC, DEC
  }
}

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// What an ADD adds to do the same as `operation`.
template <class T>
std::uint64_t addend(gex_OP_t operation, std::uint64_t operand) {
  T value;
  std::memcpy(&value, &operand, sizeof value);
  switch (without_fetching(operation)) {
    case GEX_OP_SUB:
      return bits_of(static_cast<T>(T{0} - value));
    case GEX_OP_INC:
      return bits_of(T{1});
    case GEX_OP_DEC:
      return bits_of(static_cast<T>(T{0} - T{1}));
    default:
      return operand;
  }
}

std::uint64_t addend(gex_DT_t type, gex_OP_t operation, std::uint64_t operand) {
  switch (type) {
    case GEX_DT_FLT:
      return addend<float>(operation, operand);
    case GEX_DT_DBL:
      return addend<double>(operation, operand);
    case GEX_DT_I32:
    case GEX_DT_U32:
      return addend<std::uint32_t>(operation, operand);
    default:
      return addend<std::uint64_t>(operation, operand);
  }
}

}  // namespace

conduit::Atomics* native_atomics(core::Rank& rank, gex_DT_t type, gex_OP_t operations, gex_Flags_t flags) {
  // Operations over messages are known by their peer, should that one die.
  if (!(flags & GEX_FLAG_AD_FAVOR_REMOTE) || rank.options().reference_only || rank.failures()) return nullptr;
  conduit::Atomics* const native = rank.conduit().atomics();
  if (!native) return nullptr;
  for (gex_OP_t left = operations; left != 0; left &= left - 1) {
    if (!native->has(type_of(type), action_of(left & -left))) return nullptr;
  }
  return native;
}

conduit::AtomicRequest request_of(const Atomic& atomic) {
  const AtomicAction action = action_of(atomic.operation);
  conduit::AtomicRequest request{.target = atomic.target,
                                 .address = atomic.address,
                                 .type = type_of(atomic.type),
                                 .action = action,
                                 .operand = atomic.first,
                                 .before = AQ_OP_FETCHES_(atomic.operation) ? atomic.result : nullptr};
  if (action == AtomicAction::kAdd) request.operand = addend(atomic.type, atomic.operation, atomic.first);
  if (action == AtomicAction::kCompareSwap) {
    request.operand = atomic.second;
    request.comparand = atomic.first;
  }
  return request;
}

}  // namespace aqueduct::extended
