// Remote atomics: at once on memory that can be reached from here, else by a message to its owner.
//
// Every operation, whoever performs it, is an atomic instruction of a processor on the memory itself
// (aqueduct/detail/atomic_apply.h), so neighbours and ranks elsewhere may mix on one location. A domain that
// favours remote ranks (GEX_FLAG_AD_FAVOR_REMOTE) is given to a network that has atomics of its own, as a
// whole: what lies in an attached segment is then left to the network by everybody, its owner too.
#pragma once
#include "extended/rma.hpp"
#include "gasnet_ratomic.h"

namespace aqueduct::extended {

/// What a gex_AD_t points to; made and destroyed by each rank for itself.
struct AtomicDomain {
  aq_ad_view_ view{};  // must be first: the header's inline code reads it through the handle
  aq_ad_view_ near{};  // the same with all members whose elements are mapped here (core::Team::near)
  gex_Flags_t flags = 0;
  const void* cdata = nullptr;
  conduit::Atomics* native = nullptr;  // does all operations on attached segments
};
inline gex_AD_t to_handle(AtomicDomain* domain) { return reinterpret_cast<gex_AD_t>(domain); }
inline AtomicDomain* from_handle(gex_AD_t domain) { return reinterpret_cast<AtomicDomain*>(domain); }

inline constexpr gex_DT_t kIntegerTypes = GEX_DT_I32 | GEX_DT_U32 | GEX_DT_I64 | GEX_DT_U64;
inline constexpr gex_DT_t kAtomicTypes = kIntegerTypes | GEX_DT_FLT | GEX_DT_DBL;
inline constexpr gex_OP_t kBitwiseOperations =
    GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR;
inline constexpr gex_OP_t kPlainOperations = GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX |
                                             GEX_OP_INC | GEX_OP_DEC | GEX_OP_SET | GEX_OP_CAS;
inline constexpr gex_OP_t kAtomicOperations =
    kBitwiseOperations | kPlainOperations | GEX_OP_TO_FETCHING(kPlainOperations) | GEX_OP_GET;

constexpr std::size_t element_bytes(gex_DT_t type) {
  return type & (GEX_DT_I32 | GEX_DT_U32 | GEX_DT_FLT) ? 4 : 8;
}
constexpr OpKind kind_of(gex_OP_t operation) {
  return operation == GEX_OP_SET ? OpKind::kPut : operation == GEX_OP_GET ? OpKind::kGet : OpKind::kRmw;
}

/// One operation. Operands and results are the bits of an element, in the low-order bytes.
struct Atomic {
  RankId target = 0;  ///< in the job
  gex_EP_Index_t endpoint = 0;
  void* address = nullptr;  ///< at the target; aligned
  gex_DT_t type = 0;
  gex_OP_t operation = 0;
  std::uint64_t first = 0, second = 0;
  void* result = nullptr;              ///< of fetching operations
  conduit::Atomics* native = nullptr;  ///< the domain's
};

/// Performs an operation on an element in this process and answers what was there before.
std::uint64_t apply(void* element, gex_DT_t type, gex_OP_t operation, std::uint64_t first,
                    std::uint64_t second);

/// The same, and stores what was there before if the operation fetches.
void apply_here(void* element, const Atomic& atomic);

/// Starts an operation, as start_put() starts a put.
Started start_atomic(const char* where, Thread& thread, const Atomic& atomic, Pending& pending,
                     gex_Flags_t flags);

}  // namespace aqueduct::extended
