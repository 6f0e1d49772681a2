// The conduit over libfabric, a plug-in (ofi_conduit.hpp).
#pragma once
#include "conduit/conduit.hpp"
#include "conduit/ofi/provider.hpp"

namespace aqueduct::conduit::ofi {

/// Of this machine as it is when the plug-in is loaded: where libfabric has a network with hardware for this,
/// it is preferred to what runs over sockets.
const Description& description();

/// The provider that this rank gets.
Provider provider_for(const Settings& settings, const job::Membership& place);

}  // namespace aqueduct::conduit::ofi
