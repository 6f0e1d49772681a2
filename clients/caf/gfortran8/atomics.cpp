// Atomic subroutines: of integers and logicals of 4 and 8 bytes.
#include <cstring>

#include "clients/caf/atomic_words.hpp"
#include "clients/caf/coarray.hpp"
#include "clients/caf/images.hpp"
#include "clients/caf/transfer.hpp"

using namespace aqueduct::caf;

namespace {

std::uint64_t load(const void* value, int bytes) {
  if (bytes == 8) {
    std::uint64_t all;
    std::memcpy(&all, value, 8);
    return all;
  }
  std::uint32_t low;
  std::memcpy(&low, value, 4);
  return low;
}

void store(void* value, std::uint64_t bits, int bytes) {
  std::memcpy(value, &bits, static_cast<std::size_t>(bytes));
}

/// Performs it; false if the outcome says why not.
bool apply(AtomicOp op, void* token, std::size_t offset, int image, int kind, std::uint64_t operand,
           std::uint64_t compare, std::uint64_t& before, int* stat) {
  constexpr const char* kStatement = "an atomic subroutine";
  gex_Rank_t rank;
  if (!find_image(image, rank, {stat}, kStatement)) return false;
  if (kind != 4 && kind != 8) {
    Outcome{stat}.fail(kBadArgument, kStatement, "atomic variables of kind %d are not known, only of 4 and 8",
                       kind);
    return false;
  }
  if (op == AtomicOp::kGet)
    gasnet_AMPoll();
  else
    look_for_messages();
  before = apply_atomic(op, rank, coarray_of(token)->offset + offset, kind, operand, compare);
  if (stat) *stat = kOk;
  return true;
}

}  // namespace

CAF_ENTRY(void _gfortran_caf_atomic_define)
(void* token, std::size_t offset, int image, void* value, int* stat, int, int kind) {
  std::uint64_t before;
  apply(AtomicOp::kSet, token, offset, image, kind, load(value, kind), 0, before, stat);
}

CAF_ENTRY(void _gfortran_caf_atomic_ref)
(void* token, std::size_t offset, int image, void* value, int* stat, int, int kind) {
  std::uint64_t before;
  if (apply(AtomicOp::kGet, token, offset, image, kind, 0, 0, before, stat)) store(value, before, kind);
}

CAF_ENTRY(void _gfortran_caf_atomic_cas)
(void* token, std::size_t offset, int image, void* old, void* compare, void* new_value, int* stat, int,
 int kind) {
  std::uint64_t before;
  if (apply(AtomicOp::kCompareSwap, token, offset, image, kind, load(new_value, kind), load(compare, kind),
            before, stat))
    store(old, before, kind);
}

CAF_ENTRY(void _gfortran_caf_atomic_op)
(int op, void* token, std::size_t offset, int image, void* value, void* old, int* stat, int, int kind) {
  constexpr AtomicOp kOps[] = {AtomicOp::kAdd, AtomicOp::kAnd, AtomicOp::kOr, AtomicOp::kXor};
  if (op < 1 || op > 4)
    return Outcome{stat}.fail(kBadArgument, "an atomic subroutine", "operation %d is not known", op);
  std::uint64_t before;
  if (apply(kOps[op - 1], token, offset, image, kind, load(value, kind), 0, before, stat) && old)
    store(old, before, kind);
}
