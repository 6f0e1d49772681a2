// Versions of RandomAccess over the bare interfaces of papers' networks. The command has them; the demo does
// not.
#pragma once
#include <memory>

#include "random_access/version.hpp"

namespace aqueduct::bench::random_access {

std::unique_ptr<Version> make_velo(const Job& job);
std::unique_ptr<Version> make_message_passing(const Job& job);

}  // namespace aqueduct::bench::random_access
