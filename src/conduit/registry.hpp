// The list of conduits in this library, and the choice among them.
#pragma once
#include <span>
#include <string>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit {

/// All conduits of this build, in the order in which they are shown.
std::span<const Description* const> all();

const Description* find(const char* name);

/// The conduit that a job gets: the one named `wanted` (null or empty: the most preferred that is possible).
/// Null with a one-line reason in `*why` if there is none.
const Description* choose(const char* wanted, const job::Membership& membership, std::string* why);

}  // namespace aqueduct::conduit
