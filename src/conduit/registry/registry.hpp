// The conduits that a job may use, those of this library (linked.hpp) and those in plug-ins
// (plugin/plugin.hpp), and the choice among them.
//
// The registry searches for plug-ins only if that can matter: when the wanted name is not one of the
// library's, when no name is wanted and shared memory alone cannot carry the job, and when all are listed. A
// conduit of the library comes before a plug-in of its name; plugin/search.hpp orders plug-ins.
//
// The registry loads a plug-in, at most once in a process, if its name is wanted, if it was chosen, or to
// list it. If no name is wanted, the registry judges plug-ins by their announcements
// (plugin/announcement.hpp); if one may be better than the library's conduits, a separate process asks it
// (plugin/probe.hpp), and the registry loads it only if it is better. So a job that runs on another conduit
// maps no library that plug-ins are linked with. A plug-in that cannot be loaded is ignored, unless its name
// is wanted.
//
// Guards restore what a plug-in's libraries change in the process while they are loaded and started
// (plugin/process_guard.hpp).
//
// The name `mpi` stands for one of several (plugin/which_mpi.hpp).
//
// Any thread, also before the library is started.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit {

/// The conduits of this library, in the order in which they are shown.
std::span<const Description* const> built_in();

/// The names of those whose ranks can go on when one has died: "a, b and c".
std::string names_of_survivors();

/// A file with the name of a plug-in.
struct PluginFile {
  std::string name;
  std::string path;
  const Description* description = nullptr;  ///< null if the plug-in cannot be used
  std::string reason;                        ///< why not
};

/// Loads and lists all plug-ins, without files for conduits that this program contains as well.
std::vector<PluginFile> plugins();

/// The file that a plug-in in use was loaded from; empty if the conduit is the library's.
std::string plugin_path(const std::string& name);

/// What guards have restored in this process after that conduit's libraries, in words.
std::vector<std::string> put_back(const std::string& name);

/// Guards the state of the process around calls of a plug-in that load, probe or start something
/// (plugin/process_guard.hpp). Does nothing for a conduit of the library.
class ForeignCall {
 public:
  explicit ForeignCall(const Description& conduit);
  ~ForeignCall();
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

 private:
  struct Guard;
  std::unique_ptr<Guard> guard_;
};

/// Null if there is no such conduit, or it cannot be loaded.
const Description* find(const char* name);

/// Whether a job may ask for that conduit: the library has it, or a file exists, which this does not load. If
/// not, `*why` lists the conduits that exist.
bool is_known(const char* name, std::string* why);

/// The conduit that a job gets: the one named `wanted` (null or empty: the most preferred that is possible).
/// Null with a one-line reason in `*why` if there is none.
const Description* choose(const char* wanted, const job::Membership& membership, std::string* why);

}  // namespace aqueduct::conduit
