// Whether a provider could move memory of devices itself (FI_HMEM), for reports: transfers from and to
// devices are staged over every network.
#pragma once
#include <string>

#include "conduit/ofi/provider.hpp"

namespace aqueduct::conduit::ofi {

/// Why memory of devices is staged over this provider, in words. Asks libfabric, which takes a tenth of a
/// second, and opens the provider's domain where that says yes.
std::string why_devices_are_staged(const Provider& provider);

}  // namespace aqueduct::conduit::ofi
