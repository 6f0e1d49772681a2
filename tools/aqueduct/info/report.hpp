// What `aqueduct info` says, as data: this machine, the limits of a job on it, and which conduit it gets.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
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

struct ConduitFacts {
  std::string name;
  std::string summary;
  std::string details;  ///< what it would run on here, and why; may be empty
  std::string path;     ///< of a plug-in; empty for those of the library
  RankId max_ranks = 0;
  std::uint64_t max_medium_bytes = 0;
  std::uint64_t max_long_bytes = 0;
  bool is_possible = false;  ///< for a job of this size
  bool is_chosen = false;
  std::string reason;                 ///< why it is chosen, or why it is not
  std::vector<std::string> put_back;  ///< what its libraries have changed in this process, and was put back
};

/// A file that calls itself a plug-in.
struct PluginFacts {
  std::string name;
  std::string path;
  std::string reason;  ///< why it cannot be used; empty where it can
};

/// Where plug-ins are looked for, and why there.
struct PluginDirectory {
  std::string path;
  std::string because;
};

struct InfoReport {
  std::string version;
  RankId ranks = 0;  ///< of the job that all this is for
  MachineFacts machine;
  Binding binding;
  JobLimits limits;
  std::vector<ConduitFacts> conduits;
  std::vector<PluginFacts> plugins;
  std::vector<PluginDirectory> plugin_directories;  ///< where they were looked for
  std::string launcher;                 ///< who starts the ranks of a program here, and why that one
  std::string failure;                  ///< why a job would not start; empty where one would
  std::optional<doctor::Facts> system;  ///< what agents say to doctor
};

/// Looks at this machine, at AQUEDUCT_CONDUIT, and at all plug-ins, which it loads. For a job of ranks on
/// these machines, of which this is one: the first in what is said of binding and segments.
InfoReport make_report(const std::string& version, const job::Layout& machines);

/// For people.
std::string as_text(const InfoReport& report);

/// For programs; docs/commands.md has the form, which only grows.
std::string as_json(const InfoReport& report);

/// The member `system` of such a text; nothing where there is none, or it is malformed.
std::optional<doctor::Facts> system_in(const std::string& json);

/// What several hosts have said, for people: what they have, which conduit a job on them gets, and why not
/// the others. Empty where an answer is malformed.
std::string hosts_as_text(const std::vector<job::HostAnswer>& answers);

/// The variables of the library as the tables of docs/environment.md.
std::string variable_tables();

}  // namespace aqueduct::info
