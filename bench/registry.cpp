#include "registry.hpp"

#include <algorithm>

namespace aqueduct::bench {
namespace {

const std::vector<Bench>& table() {
  static const std::vector<Bench> benches = [] {
    std::vector<Bench> all = demo_benches();
    for (Bench& bench : further_benches()) all.push_back(std::move(bench));
    return all;
  }();
  return benches;
}

}  // namespace

std::span<const Bench> all_benches() { return table(); }

const Bench* find_bench(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Bench::name);
  return found == table().end() ? nullptr : &*found;
}

}  // namespace aqueduct::bench
