#include "changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "papers/bench/portals/side.hpp"
#include "tools/common/networks.hpp"

namespace aqueduct::figures {
namespace {

/// Between the name of another network and what is said of it.
constexpr const char* kOf = ": ";

bool is_of(const std::string& override, const std::string& network) {
  return override.starts_with(network + kOf);
}

/// The part of `overrides` that is of a network, without its name.
std::vector<std::string> overrides_of(const std::vector<std::string>& overrides, const std::string& network) {
  std::vector<std::string> found;
  for (const std::string& one : overrides) {
    if (is_of(one, network)) found.push_back(one.substr(network.size() + std::string_view(kOf).size()));
  }
  return found;
}

bool names_mechanism(const Study& study, const std::string& name) {
  return std::ranges::any_of(study.mechanisms, [&](const Mechanism& one) { return one.name == name; });
}

void add_numbers(std::vector<ChangeableNumber>& all, const sim::NetworkModel& model,
                 const std::string& prefix) {
  for (const sim::Number& number : model.numbers()) all.push_back({prefix + number.name, number});
}

}  // namespace

sim::NetworkModel PaperMachine::other(const char* network, const std::vector<std::string>& overrides) const {
  std::vector<std::string> all = overrides_of(other_overrides, network);
  all.insert(all.end(), overrides.begin(), overrides.end());
  std::string error;
  const auto found = networks::load(network, all, &error);
  if (!found) throw bench::portals::Failed(error);
  return *found;
}

std::optional<PaperMachine> machine_of(const Study& study, const Chosen& chosen,
                                       const std::vector<std::string>& more,
                                       const std::vector<scenarios::Setting>& settings, std::string* error) {
  std::vector<std::string> own, others;
  for (const std::vector<std::string>* list : {&chosen.overrides, &more}) {
    for (const std::string& one : *list) {
      const bool is_other =
          std::ranges::any_of(study.other_networks, [&](const char* network) { return is_of(one, network); });
      (is_other ? others : own).push_back(one);
    }
  }
  for (const char* const network : study.other_networks) {
    if (!networks::load(network, overrides_of(others, network), error)) return std::nullopt;
  }
  auto model = networks::load(chosen.network, own, error);
  if (!model) return std::nullopt;
  return PaperMachine{.model = *std::move(model), .other_overrides = std::move(others), .settings = settings};
}

std::vector<ChangeableNumber> numbers_of(const Study& study, const Chosen& chosen, Networks networks,
                                         std::string* error) {
  const auto machine = machine_of(study, chosen, {}, {}, error);
  if (!machine) return {};
  std::vector<ChangeableNumber> all;
  add_numbers(all, machine->model, "");
  if (networks == Networks::kAll) {
    for (const char* const network : study.other_networks) {
      add_numbers(all, machine->other(network), std::string(network) + kOf);
    }
  }
  if (chosen.only.empty()) return all;
  for (const std::string& name : chosen.only) {
    if (std::ranges::find(all, name, &ChangeableNumber::name) != all.end()) continue;
    if (networks == Networks::kAll && names_mechanism(study, name)) continue;
    *error = fmt::format("{} has no number '{}'", chosen.network, name);
    if (networks == Networks::kAll) *error += ", and no mechanism of this name can be switched off";
    return {};
  }
  std::erase_if(all, [&](const ChangeableNumber& number) {
    return std::ranges::find(chosen.only, number.name) == chosen.only.end();
  });
  return all;
}

std::vector<std::string> scaled(const ChangeableNumber& changeable, double factor) {
  const auto& [name, number] = changeable;
  const double value = static_cast<double>(number.value) * factor;
  switch (number.dimension) {
    case sim::Dimension::kTime: {
      std::vector<std::string> all{fmt::format("{}={:.0f}ps", name, value)};
      if (number.fs_per_byte != 0) {
        all.push_back(
            fmt::format("{}.each={:.6f}ps", name, static_cast<double>(number.fs_per_byte) * factor / 1000));
      }
      return all;
    }
    case sim::Dimension::kBytes:
      return {fmt::format("{}={:.0f}B", name, value)};
    // In femtoseconds per byte: twice the bandwidth has half the value.
    case sim::Dimension::kBandwidth:
      return {fmt::format("{}={:.6f}MB/s", name, 1e9 / static_cast<double>(number.value) * factor)};
    case sim::Dimension::kCount: {
      const double count = std::max(1.0, std::round(value));
      if (count == static_cast<double>(number.value)) return {};
      return {fmt::format("{}={:.0f}", name, count)};
    }
  }
  return {};
}

}  // namespace aqueduct::figures
