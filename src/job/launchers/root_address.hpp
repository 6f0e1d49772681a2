// AQUEDUCT_ROOT: the address of rank 0 in a job without a launcher, "node7:4000", "192.0.2.1:4000" or
// "[2001:db8::1]:4000".
#pragma once
#include <string>

#include "net/address.hpp"

namespace aqueduct::job::launchers {

/// The address that `text` names; asks the system's resolver for names. Without family if there is none: then
/// `*why` has the reason, in words that end a line.
net::Address resolve_root(const std::string& text, std::string* why);

}  // namespace aqueduct::job::launchers
