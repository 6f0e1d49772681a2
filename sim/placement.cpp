#include "sim/placement.hpp"

#include <charconv>
#include <fstream>
#include <numeric>

#include "sim/engine/random.hpp"

namespace aqueduct::sim {
namespace {

using Nodes = std::vector<fabric::NodeId>;

constexpr std::uint64_t kPlacement = 4;  // the name of a stream of random numbers
constexpr std::size_t kMostRanks = 1 << 20;

template <class Number>
bool read_number(std::string_view text, Number* value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && rest == text.data() + text.size();
}

// Puts `ranks_per_node` ranks on each node, along the nodes in this order.
Nodes along(const Nodes& order, unsigned ranks_per_node) {
  Nodes placed;
  placed.reserve(order.size() * ranks_per_node);
  for (const fabric::NodeId node : order) placed.insert(placed.end(), ranks_per_node, node);
  return placed;
}

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('#'));
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<Nodes> read_file(const std::string& path, fabric::NodeId nodes, std::string* error) {
  std::ifstream file(path);
  if (!file) {
    *error = "cannot read " + path;
    return std::nullopt;
  }
  Nodes placed;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const std::string_view text = trimmed(line);
    if (text.empty()) continue;
    fabric::NodeId node = 0;
    if (!read_number(text, &node) || node >= nodes || placed.size() == kMostRanks) {
      *error = path + ":" + std::to_string(number) + ": '" + std::string(text) +
               "' is not one of nodes 0 to " + std::to_string(nodes - 1) + ", or there are more than " +
               std::to_string(kMostRanks) + " ranks";
      return std::nullopt;
    }
    placed.push_back(node);
  }
  if (placed.empty()) {
    *error = path + " names no node; it should have a number of a node for each rank, one to a line";
    return std::nullopt;
  }
  return placed;
}

}  // namespace

std::optional<Nodes> place_ranks(std::string_view text, fabric::NodeId nodes, unsigned ranks_per_node,
                                 std::uint64_t seed, std::string* error) {
  Nodes order(nodes);
  std::iota(order.begin(), order.end(), 0u);
  if (text == "packed") return Nodes{};
  if (text == "random") {
    Random random(seed, kPlacement);
    for (fabric::NodeId left = nodes; left > 1; --left)
      std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(left))]);
    return along(order, ranks_per_node);
  }
  if (text == "cyclic") {
    Nodes placed;
    for (unsigned round = 0; round < ranks_per_node; ++round)
      placed.insert(placed.end(), order.begin(), order.end());
    return placed;
  }
  constexpr std::string_view kStrided = "strided:", kFile = "file:";
  fabric::NodeId stride = 0;
  if (text.starts_with(kStrided) && read_number(text.substr(kStrided.size()), &stride) && stride != 0) {
    order.clear();
    for (fabric::NodeId first = 0; first < stride && first < nodes; ++first)
      for (std::uint64_t node = first; node < nodes; node += stride)
        order.push_back(static_cast<fabric::NodeId>(node));
    return along(order, ranks_per_node);
  }
  if (text.starts_with(kFile)) return read_file(std::string(text.substr(kFile.size())), nodes, error);
  *error = "'" + std::string(text) + "': it should be packed, cyclic, strided:4, random or file:PATH";
  return std::nullopt;
}

}  // namespace aqueduct::sim
