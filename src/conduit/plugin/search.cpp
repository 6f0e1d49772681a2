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
#include "conduit/plugin/announcement.hpp"

// Exists only in a program that contains the library (include/aqueduct/detail/origin.h).
extern "C" {
[[gnu::weak]] extern const char* const aq_headers_;
}

namespace aqueduct::conduit::plugin {
namespace {

constexpr std::string_view kPrefix = "libaqueduct-conduit-";
constexpr std::string_view kSuffix = ".so";

std::string real_path(const char* path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path, nullptr), std::free);
  return real ? real.get() : "";
}

constexpr const char* kLauncherPlugins = "AQUEDUCT_LAUNCHER_PLUGINS";

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/')); }

// The plug-in directory of the prefix whose bin/ this program is in; empty if there is none.
std::string beside_program() {
  const std::string program = real_path("/proc/self/exe");
  return program.empty() ? "" : real_path((folder_of(program) + "/" AQUEDUCT_PLUGINS_FROM_BIN).c_str());
}

// The file that this code was loaded from; empty if that is the program.
std::string shared_library() {
  Dl_info here;
  if (::dladdr(reinterpret_cast<void*>(&find_files), &here) == 0 || !here.dli_fname) return {};
  std::string library = real_path(here.dli_fname);
  return library == real_path("/proc/self/exe") ? "" : library;
}

// The plug-in directory of the prefix whose headers the program was compiled with; empty if unknown or gone.
std::string beside_headers() {
  constexpr std::string_view kHeader = "/aqueduct/detail/origin.h";
  const std::string_view path = &aq_headers_ && aq_headers_ ? aq_headers_ : "";
  if (!path.starts_with('/') || !path.ends_with(kHeader)) return {};
  const std::string include(path.substr(0, path.size() - kHeader.size()));
  return real_path((include + "/" AQUEDUCT_PLUGINS_FROM_INCLUDE).c_str());
}

void add_directory(std::vector<Directory>& found, std::string path, const char* because) {
  const bool is_new = std::none_of(found.begin(), found.end(), [&](const Directory& other) {
    return other.path == path || real_path(other.path.c_str()) == path;
  });
  if (!path.empty() && is_new) found.push_back({std::move(path), because});
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

std::string file_name(const std::string& name) { return std::string(kPrefix) + name + std::string(kSuffix); }

}  // namespace

std::vector<Directory> directories() {
  std::vector<Directory> found;
  const char* const listed = env::text({"AQUEDUCT_CONDUIT_PATH"});
  for (std::string_view rest = listed ? listed : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    add_directory(found, std::string(rest.substr(0, end)), "AQUEDUCT_CONDUIT_PATH");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (const std::string library = shared_library(); !library.empty()) {
    add_directory(found, folder_of(library) + "/aqueduct", "beside the library");
  } else {
    add_directory(found, beside_program(), "beside the program");
  }
  add_directory(found, beside_headers(), "beside the headers of the program");
  const char* const launchers = env::text({kLauncherPlugins});
  add_directory(found, launchers ? launchers : "", "beside the launcher");
  add_directory(found, AQUEDUCT_PLUGIN_DIRECTORY, "where the library was configured for");
  return found;
}

void tell_ranks() {
  const std::string ours = beside_program();
  ours.empty() ? ::unsetenv(kLauncherPlugins) : ::setenv(kLauncherPlugins, ours.c_str(), 1);
}

File find_file(const std::string& name) {
  File first{name, {}};
  if (!is_name(name)) return first;
  for (const Directory& directory : directories()) {
    const std::string path = directory.path + "/" + file_name(name);
    if (::access(path.c_str(), F_OK) != 0) continue;
    const auto announcement = read_announcement(path);
    if (announcement && announcement->is_for_this_library()) return {name, path};
    if (first.path.empty()) first.path = path;
  }
  return first;
}

std::vector<File> find_files() {
  std::vector<File> found;
  for (const Directory& directory : directories()) {
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.path.c_str()), ::closedir);
    if (!listing) continue;
    std::vector<File> here;
    while (const dirent* entry = ::readdir(listing.get())) {
      const std::string_view file = entry->d_name;
      if (file.size() <= kPrefix.size() + kSuffix.size() || !file.starts_with(kPrefix) ||
          !file.ends_with(kSuffix))
        continue;
      const std::string_view name =
          file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
      if (is_name(name)) here.push_back({std::string(name), directory.path + "/" + std::string(file)});
    }
    std::sort(here.begin(), here.end(), [](const File& a, const File& b) { return a.name < b.name; });
    for (File& file : here) {
      const bool is_there =
          std::any_of(found.begin(), found.end(), [&](const File& other) { return other.path == file.path; });
      if (!is_there) found.push_back(std::move(file));  // otherwise its directory is listed twice
    }
  }
  return found;
}

}  // namespace aqueduct::conduit::plugin
