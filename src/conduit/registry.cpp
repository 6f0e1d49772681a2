#include "conduit/registry.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "conduit/aries/aries.hpp"
#include "conduit/extoll/extoll.hpp"
#include "conduit/loopback/loopback.hpp"
#include "conduit/mpi_portals/mpi_portals.hpp"
#include "conduit/plugin/loader.hpp"
#include "conduit/plugin/search.hpp"
#include "conduit/plugin/which_mpi.hpp"
#include "conduit/portals/portals.hpp"
#include "conduit/smp/smp.hpp"
#include "conduit/udp/udp.hpp"
#include "conduit/wire/wire.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit {
namespace {

const std::array<const Description*, 8> kConduits = {
    &smp::kDescription,     &loopback::kDescription,    &wire::kDescription,  &udp::kDescription,
    &portals::kDescription, &mpi_portals::kDescription, &aries::kDescription, &extoll::kDescription};

const Description* find_built_in(const std::string& name) {
  const auto found = std::find_if(kConduits.begin(), kConduits.end(),
                                  [&](const Description* conduit) { return name == conduit->name; });
  return found != kConduits.end() ? *found : nullptr;
}

bool is_built_in(const Description& conduit) {
  return std::find(kConduits.begin(), kConduits.end(), &conduit) != kConduits.end();
}

// What became of a file, which is loaded the first time that somebody asks. Never forgotten: the process may
// use what was loaded until its last moment.
plugin::Loaded load_once(const plugin::File& file) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, plugin::Loaded>;
  const std::lock_guard guard(mutex);
  const auto found = known.find(file.path);
  if (found != known.end()) return found->second;
  return known.emplace(file.path, plugin::load(file.path, file.name)).first->second;
}

// Why `conduit` cannot carry the job; empty if it can.
std::string objection(const Description& conduit, const job::Membership& membership) {
  // How many ranks a conduit carries is said of live ones; a simulation has its own limits.
  if (!world::is_simulated() && membership.size > conduit.max_ranks) {
    return "it carries at most " + std::to_string(conduit.max_ranks) +
           (conduit.max_ranks == 1 ? " rank" : " ranks") + " and the job has " +
           std::to_string(membership.size);
  }
  if (world::is_simulated() && !is_built_in(conduit)) return "it is a plug-in, and simulated ranks have none";
  const char* reason = conduit.why_not ? conduit.why_not(membership) : nullptr;
  return reason ? reason : "";
}

// What there is instead of a conduit that is not known.
std::string what_there_is(const std::string& name) {
  std::string text = "there is no conduit '" + name + "'; this library has";
  for (const Description* conduit : kConduits) text += std::string(" ") + conduit->name;
  return text + ", and there is no libaqueduct-conduit-" + name + ".so where plug-ins are looked for";
}

const Description* find_or_say(const std::string& name, std::string* why) {
  if (const Description* conduit = find_built_in(name)) return conduit;
  const plugin::File file = name == plugin::kMpi ? plugin::find_mpi(why) : plugin::find_file(name);
  if (file.path.empty()) {
    if (name != plugin::kMpi) *why = what_there_is(name);
    return nullptr;
  }
  const plugin::Loaded loaded = load_once(file);
  if (!loaded.description)
    *why = "conduit '" + name + "' cannot be loaded from " + file.path + ": " + loaded.reason;
  return loaded.description;
}

const Description* better(const Description* best, const Description* conduit,
                          const job::Membership& membership) {
  const bool wins =
      objection(*conduit, membership).empty() && (!best || conduit->preference > best->preference);
  return wins ? conduit : best;
}

}  // namespace

const char* not_in_simulations(const job::Membership&) {
  return world::is_simulated() ? "it does not reach the nodes of a simulation" : nullptr;
}

std::span<const Description* const> built_in() { return kConduits; }

std::vector<std::string> plugin_directories() { return plugin::directories(); }

std::vector<PluginFile> plugins() {
  std::vector<PluginFile> found;
  for (const plugin::File& file : plugin::find_files()) {
    PluginFile& plugin = found.emplace_back(PluginFile{file.name, file.path, nullptr, {}});
    const auto first = std::find_if(found.begin(), found.end(),
                                    [&](const PluginFile& other) { return other.name == file.name; });
    if (find_built_in(file.name)) {
      plugin.reason = "the library has a conduit of that name";
    } else if (&*first != &plugin) {
      plugin.reason = first->path + " has that name and comes first";
    } else {
      const plugin::Loaded loaded = load_once(file);
      plugin.description = loaded.description;
      plugin.reason = loaded.reason;
    }
  }
  return found;
}

std::vector<const Description*> all() {
  std::vector<const Description*> conduits(kConduits.begin(), kConduits.end());
  for (const PluginFile& plugin : plugins()) {
    if (plugin.description) conduits.push_back(plugin.description);
  }
  return conduits;
}

const Description* find(const char* name) {
  std::string why;
  return find_or_say(name, &why);
}

bool is_known(const char* name, std::string* why) {
  if (name == std::string_view(plugin::kMpi)) return plugin::has_mpi(why);
  if (find_built_in(name) || !plugin::find_file(name).path.empty()) return true;
  *why = what_there_is(name);
  return false;
}

const Description* choose(const char* wanted, const job::Membership& membership, std::string* why) {
  if (wanted && *wanted) {
    const Description* conduit = find_or_say(wanted, why);
    if (!conduit) return nullptr;
    const std::string reason = objection(*conduit, membership);
    if (!reason.empty()) {
      *why = std::string("conduit '") + wanted + "' cannot be used: " + reason;
      return nullptr;
    }
    return conduit;
  }
  const Description* best = nullptr;
  for (const Description* conduit : kConduits) best = better(best, conduit, membership);
  // Where shared memory is enough nobody looks for plug-ins: none of them would be better.
  if (best != &smp::kDescription && !world::is_simulated()) {
    for (const PluginFile& plugin : plugins()) {
      if (plugin.description) best = better(best, plugin.description, membership);
    }
  }
  if (!best) *why = "no conduit can carry a job of " + std::to_string(membership.size) + " ranks";
  return best;
}

}  // namespace aqueduct::conduit
