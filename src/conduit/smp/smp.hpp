// smp: all ranks of the job share this host's memory. The neighbourhood (core/neighbourhood.hpp) does all the
// work.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::smp {
extern const Description kDescription;
}
