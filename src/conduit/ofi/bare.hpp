// What the benchmark of libfabric itself (bench/bare/ofi.cpp), which is compiled into the plug-in, needs of
// the conduit.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::ofi {

/// The conduit has been opened with this, which stays.
void offer_bare_interface(const Opening& opening);

}  // namespace aqueduct::conduit::ofi
