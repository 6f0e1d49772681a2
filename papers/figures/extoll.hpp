// The figures of the paper on a GASNet conduit for EXTOLL (in Spanish, 2012): latencies over EXTOLL,
// InfiniBand and UDP, and RandomAccess on 64 nodes.
#pragma once
#include "study.hpp"

namespace aqueduct::figures {

Study extoll();

}  // namespace aqueduct::figures
