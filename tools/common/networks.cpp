#include "networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/units.hpp"

namespace aqueduct::networks {
namespace {

namespace fs = std::filesystem;
using sim::Dimension;
using sim::Number;
using sim::NumberSource;

constexpr const char* kSuffix = ".toml";

/// The directory beside the tool, in an installation as in a build tree.
fs::path directory() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / ".." / "share" / "aqueduct" / "networks";
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory(), error)) {
    if (entry.path().extension() == kSuffix) found.push_back(entry.path().stem().string());
  }
  std::ranges::sort(found);
  return found;
}

std::optional<sim::NetworkModel> load(const std::string& name, std::span<const std::string> overrides,
                                      std::string* error) {
  if (name.find('/') != std::string::npos || name.ends_with(kSuffix)) {
    return sim::NetworkModel::load(name, overrides, error);
  }
  const std::vector<std::string> known = names();
  if (std::ranges::find(known, name) == known.end()) {
    *error = fmt::format("there is no network '{}'; there are {}", name, fmt::join(known, ", "));
    return {};
  }
  return sim::NetworkModel::load((directory() / (name + kSuffix)).string(), overrides, error);
}

std::string value_text(const Number& number) {
  switch (number.dimension) {
    case Dimension::kTime: {
      const std::string fixed = sim::show(number.value).text;
      if (number.fs_per_byte == 0) return fixed;
      const std::string each = sim::show(number.fs_per_byte / 1000).text;
      return number.value == 0 ? each + " each" : fixed + " + " + each + " each";
    }
    case Dimension::kBytes:
      return fmt::format("{} B", number.value);
    // From femtoseconds per byte.
    case Dimension::kBandwidth:
      return fmt::format("{:.4g} MB/s", 1e9 / static_cast<double>(number.value));
    case Dimension::kCount:
      return fmt::format("{}", number.value);
  }
  return "";
}

std::string mark_text(const Number& number) {
  switch (number.source) {
    case NumberSource::kGiven:
      return "given";
    case NumberSource::kCalibrated:
      return "calibrated";
    case NumberSource::kAssumed:
      return "assumed";
    case NumberSource::kOverridden:
      return "overridden";
  }
  return "";
}

}  // namespace aqueduct::networks
