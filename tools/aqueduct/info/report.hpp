// The contents of `aqueduct info`: this machine, the limits of a job on it, and the conduit that it gets.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "conduit/plugin/search.hpp"
#include "device/survey.hpp"
#include "doctor/facts.hpp"
#include "hosts/ask_hosts.hpp"
#include "job/place/layout.hpp"

namespace aqueduct::info {

struct MachineFacts {
  std::string host;
  std::string system;  ///< "Linux 6.1.0"
  std::string architecture;
  std::size_t cores = 0;
  unsigned hardware_threads = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t free_memory_bytes = 0;
};

/// What `--bind auto` does with rank 0: the hardware threads that it may use.
struct Binding {
  std::size_t cpus = 0;           ///< 0: it is not bound
  std::size_t threaded_cpus = 0;  ///< once it has threads of its own
};

struct JobLimits {
  RankId ranks = 0;
  std::uint64_t segment_bytes = 0;  ///< of each rank
  unsigned arguments = 0;           ///< of an active message
};

/// Bytes that a rank takes for each other one.
struct PeerMemory {
  std::size_t silent = 0;  ///< nothing was exchanged with it
  std::size_t known = 0;   ///< nothing is under way
  std::size_t busy = 0;    ///< at most
};

struct ConduitFacts {
  std::string name;
  std::string summary;
  std::string details;  ///< what it would run on here, and why; may be empty
  std::optional<PeerMemory> peer_memory;
  std::string path;  ///< of a plug-in; empty for those of the library
  RankId max_ranks = 0;
  std::uint64_t max_medium_bytes = 0;
  std::uint64_t max_long_bytes = 0;
  bool is_possible = false;  ///< for a job of this size
  bool is_chosen = false;
  std::string reason;                 ///< why it is chosen, or why it is not
  std::vector<std::string> put_back;  ///< changes of its libraries in this process that were restored
};

/// A file with the name of a plug-in.
struct PluginFacts {
  std::string name;
  std::string path;
  std::string reason;  ///< why it cannot be used; empty if it can
};

struct InfoReport {
  std::string version;
  RankId ranks = 0;  ///< of the planned job
  MachineFacts machine;
  Binding binding;
  JobLimits limits;
  std::vector<ConduitFacts> conduits;
  std::vector<PluginFacts> plugins;
  std::vector<conduit::plugin::Directory> plugin_directories;  ///< the directories that were searched
  std::vector<device::SurveyedDriver> devices;
  std::string launcher;                 ///< the launcher of a program's ranks here, and the reason
  std::string failure;                  ///< why a job would not start; empty if it would
  std::optional<doctor::Facts> system;  ///< for doctor, from agents
};

/// Looks at this machine, at AQUEDUCT_CONDUIT, and at all plug-ins, which it loads. The job has ranks on
/// `machines`, one of which is this one; binding and segments are those of the first.
InfoReport make_report(const std::string& version, const job::Layout& machines);

/// For people.
std::string as_text(const InfoReport& report);

/// For programs; docs/commands.md has the form, to which members are only added.
std::string as_json(const InfoReport& report);

/// The member `system` of such a text; nothing if it is missing or malformed.
std::optional<doctor::Facts> system_in(const std::string& json);

/// The answers of several hosts, for people: their hardware, the conduit that a job on them gets, and why not
/// the others. Empty if an answer is malformed.
std::string hosts_as_text(const std::vector<job::HostAnswer>& answers);

/// The variables of the library as the tables of docs/environment.md.
std::string variable_tables();

}  // namespace aqueduct::info
