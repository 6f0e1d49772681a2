// Entries that must be refused: MAGIC, CONTRACT and LIBRARY differ from what they should be.
#include "conduit/plugin/plugin.hpp"

const aqueduct::conduit::plugin::Plugin aqueduct_conduit_plugin = {
    MAGIC, CONTRACT, LIBRARY,
    [](const aqueduct::conduit::plugin::LibraryFunctions&) -> const aqueduct::conduit::Description* {
      __builtin_trap();
    }};
