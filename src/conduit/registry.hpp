// The conduits that a job may use, those of this library and those in plug-ins (plugin/plugin.hpp), and the
// choice among them.
//
// Plug-ins are looked for only when that can matter: when a name is wanted that the library does not have,
// when none is wanted and shared memory alone cannot carry the job, and when all are to be listed. Then each
// file is loaded at most once in a process. A conduit of the library comes before a plug-in of its name, a
// directory before those behind it. A plug-in that cannot be loaded is as if it were not there, unless it is
// asked for by name. The name `mpi` stands for one of several (plugin/which_mpi.hpp).
//
// Any thread, also before the library is started.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit {

/// The conduits of this library, in the order in which they are shown.
std::span<const Description* const> built_in();

/// A file that calls itself a plug-in.
struct PluginFile {
  std::string name;
  std::string path;
  const Description* description = nullptr;  ///< null if it cannot be used
  std::string reason;                        ///< why not
};

/// Where they are looked for, in this order (plugin/search.hpp).
std::vector<std::string> plugin_directories();

/// Looks at all plug-ins, and loads them.
std::vector<PluginFile> plugins();

/// The conduits of this library, then those of plugins() that can be used.
std::vector<const Description*> all();

/// Null if there is none, or it cannot be loaded.
const Description* find(const char* name);

/// Whether a job may ask for that conduit: the library has it, or there is a file, which is not loaded. If
/// not, `*why` says what there is.
bool is_known(const char* name, std::string* why);

/// The conduit that a job gets: the one named `wanted` (null or empty: the most preferred that is possible).
/// Null with a one-line reason in `*why` if there is none.
const Description* choose(const char* wanted, const job::Membership& membership, std::string* why);

/// A why_not(), of what has no simulated network below it.
const char* not_in_simulations(const job::Membership& membership);

}  // namespace aqueduct::conduit
