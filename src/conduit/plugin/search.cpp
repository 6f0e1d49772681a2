#include "conduit/plugin/search.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "aqueduct/plugin_config.h"
#include "base/env.hpp"

namespace aqueduct::conduit::plugin {
namespace {

constexpr std::string_view kPrefix = "libaqueduct-conduit-";
constexpr std::string_view kSuffix = ".so";

std::string real_path(const char* path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path, nullptr), std::free);
  return real ? real.get() : "";
}

void add_beside_library(std::vector<std::string>& found) {
  Dl_info here;
  std::string library;
  if (::dladdr(reinterpret_cast<void*>(&directories), &here) != 0 && here.dli_fname)
    library = real_path(here.dli_fname);
  const std::string program = real_path("/proc/self/exe");
  const auto folder_of = [](const std::string& file) { return file.substr(0, file.rfind('/')); };
  if (!library.empty() && library != program) {
    found.push_back(folder_of(library) + "/aqueduct");
    return;
  }
  if (!program.empty()) {
    const std::string ours = real_path((folder_of(program) + "/" AQUEDUCT_PLUGINS_FROM_BIN).c_str());
    if (!ours.empty()) found.push_back(ours);
  }
  found.emplace_back(AQUEDUCT_PLUGIN_DIRECTORY);
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

std::string file_name(const std::string& name) { return std::string(kPrefix) + name + std::string(kSuffix); }

}  // namespace

std::vector<std::string> directories() {
  std::vector<std::string> found;
  const char* const listed = env::text({"AQUEDUCT_CONDUIT_PATH"});
  for (std::string_view rest = listed ? listed : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end != 0) found.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  add_beside_library(found);
  return found;
}

File find_file(const std::string& name) {
  if (!is_name(name)) return {name, {}};
  for (const std::string& directory : directories()) {
    const std::string path = directory + "/" + file_name(name);
    if (::access(path.c_str(), F_OK) == 0) return {name, path};
  }
  return {name, {}};
}

std::vector<File> find_files() {
  std::vector<File> found;
  for (const std::string& directory : directories()) {
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
    if (!listing) continue;
    std::vector<File> here;
    while (const dirent* entry = ::readdir(listing.get())) {
      const std::string_view file = entry->d_name;
      if (file.size() <= kPrefix.size() + kSuffix.size() || !file.starts_with(kPrefix) ||
          !file.ends_with(kSuffix))
        continue;
      const std::string_view name =
          file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
      if (is_name(name)) here.push_back({std::string(name), directory + "/" + std::string(file)});
    }
    std::sort(here.begin(), here.end(), [](const File& a, const File& b) { return a.name < b.name; });
    for (File& file : here) {
      const bool is_there =
          std::any_of(found.begin(), found.end(), [&](const File& other) { return other.path == file.path; });
      if (!is_there) found.push_back(std::move(file));  // else its directory is listed twice
    }
  }
  return found;
}

}  // namespace aqueduct::conduit::plugin
