#include "fabric/sim/network_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace aqueduct::fabric::sim {
namespace {

namespace files = std::filesystem;

std::vector<files::path> directories() {
  std::vector<files::path> found;
  if (const char* named = std::getenv("AQUEDUCT_NETWORKS"); named && *named) found.emplace_back(named);
  std::error_code none;
  const files::path program = files::read_symlink("/proc/self/exe", none);
  if (!none) found.push_back(program.parent_path().parent_path() / "share" / "aqueduct" / "networks");
  found.emplace_back(AQUEDUCT_SOURCE_NETWORKS);
  return found;
}

}  // namespace

std::optional<NetworkModel> load_network(const std::string& name, std::span<const std::string> overrides,
                                         std::string* error) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) {
    return NetworkModel::load(name, overrides, error);
  }
  for (const files::path& directory : directories()) {
    const files::path path = directory / (name + ".toml");
    if (files::exists(path)) return NetworkModel::load(path.string(), overrides, error);
  }
  *error = "there is no network '" + name + "'; there are:";
  for (const std::string& known : network_names()) *error += " " + known;
  return std::nullopt;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const files::path& directory : directories()) {
    std::error_code none;
    for (const files::directory_entry& entry : files::directory_iterator(directory, none)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace aqueduct::fabric::sim
