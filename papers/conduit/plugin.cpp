// The plug-in of one of the papers' conduits: compiled once for each, with its namespace and its header.
#include "conduit/plugin/plugin.hpp"

#include AQUEDUCT_CONDUIT_HEADER

AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::AQUEDUCT_CONDUIT_NAMESPACE::kDescription);
