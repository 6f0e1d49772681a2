// Where plug-ins are: files libaqueduct-conduit-NAME.so, in this order in
//
//   the directories of AQUEDUCT_CONDUIT_PATH, separated by colons
//   aqueduct/ beside the shared library, for a program that uses it; or the directory of plug-ins of the
//     prefix whose bin/ the program is in, for one that contains the library
//   that of the prefix whose headers the program was compiled with (include/aqueduct/detail/origin.h)
//   that of the prefix whose `aqueduct run` has started the program (AQUEDUCT_LAUNCHER_PLUGINS)
//   that of the prefix which the library was configured for
//
// Of several files with one name the first one for this version of the library counts, otherwise the first.
// This code loads nothing.
#pragma once
#include <string>
#include <vector>

namespace aqueduct::conduit::plugin {

struct File {
  std::string name;  ///< of the conduit
  std::string path;
};

/// A directory to search, and the reason.
struct Directory {
  std::string path;
  std::string because;
};

std::vector<Directory> directories();

/// In a launcher, which is in the bin/ of its prefix: tells the ranks that it starts, by the environment,
/// where the plug-ins of that prefix are.
void tell_ranks();

/// The file of that conduit; with an empty path if there is none.
File find_file(const std::string& name);

/// All files, by directory and then by name.
std::vector<File> find_files();

}  // namespace aqueduct::conduit::plugin
