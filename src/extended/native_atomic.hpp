// Atomics that the conduit does by itself: for domains that favour remote ranks, whole or not at all.
#pragma once
#include "extended/atomic.hpp"

namespace aqueduct::extended {

/// The conduit's, if it has all operations of a domain of this type that asks for it by
/// GEX_FLAG_AD_FAVOR_REMOTE; else null. The same on all ranks.
conduit::Atomics* native_atomics(core::Rank& rank, gex_DT_t type, gex_OP_t operations, gex_Flags_t flags);

/// Translates an operation of the interface into the conduit's.
conduit::AtomicRequest request_of(const Atomic& atomic);

}  // namespace aqueduct::extended
