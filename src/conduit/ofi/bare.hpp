// libfabric as barely as can be, beside the conduit: `aqueduct bench --against raw`
// (plugin/bare_interface.hpp). An endpoint of its own with the same provider, busy-polled.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::ofi {

/// The conduit has been opened with this, which stays.
void offer_bare_interface(const Opening& opening);

}  // namespace aqueduct::conduit::ofi
