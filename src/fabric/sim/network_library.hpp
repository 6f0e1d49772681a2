// Where network files are found by name.
//
// "seastar-xt4" is seastar-xt4.toml in the first of: the directory that AQUEDUCT_NETWORKS names, the
// directory share/aqueduct/networks beside the program's bin, the source tree that the program was built
// from. A name with a slash, or that ends in .toml, is a path.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/sim/network_model.hpp"

namespace aqueduct::fabric::sim {

/// Finds and reads a network; on failure the text in `*error` says what to do.
std::optional<NetworkModel> load_network(const std::string& name, std::span<const std::string> overrides,
                                         std::string* error);

/// The names of all networks that can be found, sorted.
std::vector<std::string> network_names();

}  // namespace aqueduct::fabric::sim
