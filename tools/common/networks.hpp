// The networks of the tool: the files in share/aqueduct/networks beside it, by name, or any file.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/network_model.hpp"

namespace aqueduct::networks {

/// `name` is a name such as seastar-xt4, or a path (which has a slash or ends in .toml). `overrides` replace
/// numbers ("costs.trap=150ns"). On failure nothing, and a line in `*error`.
std::optional<sim::NetworkModel> load(const std::string& name, std::span<const std::string> overrides,
                                      std::string* error);

/// The names, sorted.
std::vector<std::string> names();

/// A number as people write it: "75 ns + 20 ns each", "2500 MB/s", "64 B", "256".
std::string value_text(const sim::Number& number);

/// "given", "calibrated", "assumed", "overridden".
std::string mark_text(const sim::Number& number);

}  // namespace aqueduct::networks
