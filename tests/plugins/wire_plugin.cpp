// The wire conduit as a plug-in, under another name: the same source as in the library.
#include "conduit/plugin/plugin.hpp"
#include "conduit/wire/wire.hpp"

namespace {

using aqueduct::conduit::Description;

const Description kDescription = [] {
  Description description = aqueduct::conduit::wire::kDescription;
  description.name = "wire-plugin";
  description.summary = "the wire conduit in a plug-in";
  return description;
}();

}  // namespace

AQUEDUCT_CONDUIT_PLUGIN(kDescription, .preference = 1);
