// The conduits that are part of this library, as far as it was linked with them. Each library that is built
// from these sources has one file that says which: linked.cpp is that of libaqueduct.
//
// Any thread, also before the library is started.
#pragma once
#include <span>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit {

/// In the order in which they are shown.
std::span<const Description* const> linked();

}  // namespace aqueduct::conduit
