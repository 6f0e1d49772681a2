// How memory of devices is moved over a provider, for reports.
#pragma once
#include <string>

#include "conduit/ofi/provider.hpp"

namespace aqueduct::conduit::ofi {

/// "memory of devices is staged: ..." or "... goes direct: ...". Where the provider offers it, each device is
/// tried in a process of its own, which takes a second.
std::string devices_in_words(const Provider& provider, const Settings& settings);

}  // namespace aqueduct::conduit::ofi
