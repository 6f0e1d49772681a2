// The conduits that a job may use, those of this library (linked.hpp) and those in plug-ins
// (plugin/plugin.hpp), and the choice among them.
//
// Plug-ins are looked for only when that can matter: when a name is wanted that the library does not have,
// when none is wanted and shared memory alone cannot carry the job, and when all are to be listed. A conduit
// of the library comes before a plug-in of its name; of plug-ins see plugin/search.hpp.
//
// A plug-in is loaded, at most once in a process, if it is asked for by name, if it was chosen, or to be
// listed. Where none is wanted it is judged by what its file announces (plugin/announcement.hpp); if by that
// it may be better than what there is, a process of its own asks it (plugin/probe.hpp), and it is loaded if
// it is. So a job that runs on another conduit maps nothing of what plug-ins are linked with. One that cannot
// be loaded is as if it were not there, unless it is asked for by name.
//
// What the libraries of a plug-in change in the process while they are loaded and started is put back
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

/// Those of them whose ranks can go on when one has died, as a list in words: "a, b and c".
std::string names_of_survivors();

/// A file that calls itself a plug-in.
struct PluginFile {
  std::string name;
  std::string path;
  const Description* description = nullptr;  ///< null if it cannot be used
  std::string reason;                        ///< why not
};

/// Where they are looked for, in this order, and why there (plugin/search.hpp).
struct PluginDirectory {
  std::string path;
  std::string because;
};
std::vector<PluginDirectory> plugin_directories();

/// In a launcher: lets the ranks that it starts find the plug-ins of its prefix.
void tell_ranks_of_plugins();

/// Looks at all plug-ins, and loads them. Leaves out files with conduits that this program contains as well.
std::vector<PluginFile> plugins();

/// The file that a plug-in in use was loaded from; empty if the conduit is the library's.
std::string plugin_path(const std::string& name);

/// What has been put back in this process behind that conduit's libraries, in words.
std::vector<std::string> put_back(const std::string& name);

/// While it lives, what the libraries of a conduit in a plug-in change in the process is going to be put
/// back: around calls that load, probe or start something. Does nothing for a conduit of the library.
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

/// Null if there is none, or it cannot be loaded.
const Description* find(const char* name);

/// Whether a job may ask for that conduit: the library has it, or there is a file, which is not loaded. If
/// not, `*why` says what there is.
bool is_known(const char* name, std::string* why);

/// The conduit that a job gets: the one named `wanted` (null or empty: the most preferred that is possible).
/// Null with a one-line reason in `*why` if there is none.
const Description* choose(const char* wanted, const job::Membership& membership, std::string* why);

}  // namespace aqueduct::conduit
