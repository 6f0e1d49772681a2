#include "conduit/plugin/loader.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "base/fatal.hpp"
#include "base/fence.hpp"
#include "conduit/plugin/plugin.hpp"
#include "conduit/plugin/probe.hpp"
#include "conduit/plugin/process_guard.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::plugin {
namespace {

constexpr const char* kEntry = "aqueduct_conduit_plugin";

void try_device(const char* conduit, const job::Membership& membership, device::Family family, int ordinal,
                char* text, std::size_t bytes) {
  const ProbeAnswer answer = probe_device(find_file(conduit), membership, family, ordinal);
  std::snprintf(text, bytes, "%s", answer.is_possible ? "" : answer.reason.c_str());
}

const LibraryFunctions kHost = {
    .world = []() -> world::World& { return world::live(); },
    .fatal = [](const char* where, const char* text) { fatal(where, "%s", text); },
    .fatal_about = [](unsigned peer, const char* where,
                      const char* text) { fatal_about(peer, where, "%s", text); },
    .warn = [](const char* where, const char* text) { warn(where, "%s", text); },
    .reporting_rank = reporting_rank,
    .register_for_heavy_fences = register_for_heavy_fences,
    .heavy_fence = heavy_fence,
    .try_device = try_device,
};

// The dynamic linker's message without the path at its beginning.
std::string last_error(const std::string& path) {
  const char* const said = ::dlerror();
  std::string text = said ? said : "the dynamic linker does not say why";
  if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
  return text;
}

std::string in_words(const char* library, std::uint32_t contract) {
  char number[16];
  std::snprintf(number, sizeof number, "%08x", contract);
  return std::string("Aqueduct ") + library + " (contract " + number + ")";
}

bool is_whole(const void* entry) {
  Dl_info info;
  void* symbol = nullptr;
  const int found = ::dladdr1(entry, &info, &symbol, RTLD_DL_SYMENT);
  return found != 0 && symbol && static_cast<const ElfW(Sym)*>(symbol)->st_size >= sizeof(Plugin);
}

Loaded begin(void* object, const std::string& path, const std::string& name) {
  const void* const entry = ::dlsym(object, kEntry);
  if (!entry) return {nullptr, std::string("it is no plug-in: it has no symbol '") + kEntry + "'"};
  const auto& plugin = *static_cast<const Plugin*>(entry);
  if (!is_whole(entry) || plugin.magic != kMagic)
    return {nullptr, std::string("it is no plug-in: its '") + kEntry + "' is something else"};
  if (plugin.contract != kContract || std::strcmp(plugin.library, kLibrary) != 0) {
    return {nullptr, "it was made for " + in_words(plugin.library, plugin.contract) + ", and this is " +
                         in_words(kLibrary, kContract) + "; build it again with this version"};
  }
  const Description* const description = plugin.begin(kHost);
  if (name != description->name) {
    return {nullptr, std::string("it is the conduit '") + description->name +
                         "', whose file must be called libaqueduct-conduit-" + description->name + ".so"};
  }
  const std::optional<Announcement> announced = read_announcement(path);
  if (!announced || announced->most < description->preference) {
    return {nullptr, "its preference is " + std::to_string(description->preference) +
                         ", and its file announces " +
                         (announced ? "at most " + std::to_string(announced->most) : "none") +
                         "; AQUEDUCT_CONDUIT_PLUGIN(description, .preference = " +
                         std::to_string(description->preference) + ") does"};
  }
  return {description, {}};
}

}  // namespace

Loaded load(const std::string& path, const std::string& name) {
  const ProcessGuard guard(name);
  void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object) return {nullptr, last_error(path)};
  Loaded loaded = begin(object, path, name);
  if (!loaded.description) ::dlclose(object);
  return loaded;
}

}  // namespace aqueduct::conduit::plugin
