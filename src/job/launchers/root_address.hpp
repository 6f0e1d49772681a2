// AQUEDUCT_ROOT: where rank 0 of a job that nobody launches is met, "node7:4000", "192.0.2.1:4000" or
// "[2001:db8::1]:4000".
#pragma once
#include <string>

#include "net/address.hpp"

namespace aqueduct::job::launchers {

/// The address that `text` names; the system's resolver is asked for names. Without family if it names none:
/// then `*why` says why, in words that end a line.
net::Address resolve_root(const std::string& text, std::string* why);

}  // namespace aqueduct::job::launchers
