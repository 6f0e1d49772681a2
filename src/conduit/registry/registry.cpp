#include "conduit/registry/registry.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "conduit/plugin/announcement.hpp"
#include "conduit/plugin/loader.hpp"
#include "conduit/plugin/probe.hpp"
#include "conduit/plugin/process_guard.hpp"
#include "conduit/plugin/search.hpp"
#include "conduit/plugin/which_mpi.hpp"
#include "conduit/registry/linked.hpp"
#include "conduit/smp/smp.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit {
namespace {

const Description* find_built_in(const std::string& name) {
  for (const Description* conduit : linked()) {
    if (name == conduit->name) return conduit;
  }
  return nullptr;
}

bool is_built_in(const Description& conduit) {
  const auto conduits = linked();
  return std::find(conduits.begin(), conduits.end(), &conduit) != conduits.end();
}

// Loads a file at the first call, and keeps the result until the process ends, because the plug-in may be in
// use until then.
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
  // max_ranks counts live ranks; a simulation has its own limits.
  if (!world::is_simulated() && membership.size > conduit.max_ranks) {
    return "it carries at most " + std::to_string(conduit.max_ranks) +
           (conduit.max_ranks == 1 ? " rank" : " ranks") + " and the job has " +
           std::to_string(membership.size);
  }
  if (world::is_simulated() && !is_built_in(conduit)) return "it is a plug-in, and simulated ranks have none";
  if (!conduit.why_not) return "";
  const ForeignCall call(conduit);
  const char* reason = conduit.why_not(membership);
  return reason ? reason : "";
}

// The conduits that exist, for a line about an unknown one.
std::string what_there_is(const std::string& name) {
  std::string text = "there is no conduit '" + name + "'; this library has";
  for (const Description* conduit : linked()) text += std::string(" ") + conduit->name;
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

// The files that may be loaded, in the order of search, without those whose names the library has.
std::vector<plugin::File> usable_files() {
  std::vector<plugin::File> found;
  for (const plugin::File& file : plugin::find_files()) {
    if (!find_built_in(file.name) && plugin::find_file(file.name).path == file.path) found.push_back(file);
  }
  return found;
}

// Whether the file, which serves other programs, holds a conduit that this one contains.
bool is_also_linked(const plugin::File& file) {
  if (!find_built_in(file.name)) return false;
  const std::optional<plugin::Announcement> announced = plugin::read_announcement(file.path);
  return announced && announced->is_for_this_library();
}

// A conduit that a job may get without asking for it.
struct Candidate {
  const Description* conduit = nullptr;  // null: it is in a plug-in
  plugin::File file;
  int preference = 0;
};

std::vector<Candidate> built_in_candidates(const job::Membership& membership) {
  std::vector<Candidate> found;
  for (const Description* conduit : linked()) {
    if (objection(*conduit, membership).empty())
      found.push_back({conduit, {}, conduit->preference_for(membership)});
  }
  return found;
}

// The plug-ins with a higher preference than `than`. Loads none of them.
std::vector<Candidate> better_plugins(int than, bool is_any_possible, const job::Membership& membership) {
  std::vector<Candidate> found;
  for (const plugin::File& file : usable_files()) {
    const std::optional<plugin::Announcement> announced = plugin::read_announcement(file.path);
    if (!announced || !announced->is_for_this_library()) continue;
    if (is_any_possible && announced->most_here() <= than) continue;
    const plugin::ProbeAnswer answer = plugin::probe(file, membership);
    if (answer.is_possible && (!is_any_possible || answer.preference > than))
      found.push_back({nullptr, file, answer.preference});
  }
  return found;
}

}  // namespace

std::span<const Description* const> built_in() { return linked(); }

std::string names_of_survivors() {
  std::vector<std::string> names;
  for (const Description* conduit : linked()) {
    if (conduit->survives_failures) names.emplace_back(conduit->name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

std::string plugin_path(const std::string& name) {
  std::string why;
  if (find_built_in(name)) return {};
  return (name == plugin::kMpi ? plugin::find_mpi(&why) : plugin::find_file(name)).path;
}

std::vector<std::string> put_back(const std::string& name) { return plugin::put_back(name); }

struct ForeignCall::Guard {
  plugin::ProcessGuard process;
};

ForeignCall::ForeignCall(const Description& conduit)
    : guard_(is_built_in(conduit) ? nullptr : new Guard{plugin::ProcessGuard(conduit.name)}) {}

ForeignCall::~ForeignCall() = default;

std::vector<PluginFile> plugins() {
  std::vector<PluginFile> found;
  for (const plugin::File& file : plugin::find_files()) {
    if (is_also_linked(file)) continue;
    PluginFile& plugin = found.emplace_back(PluginFile{file.name, file.path, nullptr, {}});
    const std::string used = plugin::find_file(file.name).path;
    if (find_built_in(file.name)) {
      plugin.reason = "the library has a conduit of that name";
    } else if (used != file.path) {
      plugin.reason = used + " has that name and comes first";
    } else {
      const plugin::Loaded loaded = load_once(file);
      plugin.description = loaded.description;
      plugin.reason = loaded.reason;
    }
  }
  return found;
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
  std::vector<Candidate> candidates = built_in_candidates(membership);
  const auto is_less = [](const Candidate& a, const Candidate& b) { return a.preference < b.preference; };
  const auto best_built_in = std::max_element(candidates.begin(), candidates.end(), is_less);
  const bool is_any_possible = best_built_in != candidates.end();
  // If shared memory is enough, no plug-in would be better, so it does not search.
  if (!world::is_simulated() && (!is_any_possible || best_built_in->conduit != &smp::kDescription)) {
    const int least = is_any_possible ? best_built_in->preference : 0;
    for (Candidate& better : better_plugins(least, is_any_possible, membership))
      candidates.push_back(std::move(better));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) { return is_less(b, a); });
  for (const Candidate& candidate : candidates) {
    if (candidate.conduit) return candidate.conduit;
    const Description* const conduit = load_once(candidate.file).description;
    if (conduit && objection(*conduit, membership).empty()) return conduit;
  }
  *why = "no conduit can carry a job of " + std::to_string(membership.size) + " ranks";
  return nullptr;
}

}  // namespace aqueduct::conduit
