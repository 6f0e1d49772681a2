// The conduits that are part of this library. Each library that is built from these sources has one file that
// lists them: linked.cpp is that of libaqueduct.
//
// Any thread, also before the library is started.
#pragma once
#include <span>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit {

/// In the order in which they are shown.
std::span<const Description* const> linked();

}  // namespace aqueduct::conduit
