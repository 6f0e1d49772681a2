// Where plug-ins are: files libaqueduct-conduit-NAME.so, in this order in
//
//   the directories of AQUEDUCT_CONDUIT_PATH, separated by colons
//   aqueduct/ beside the shared library; or, for a program that contains the library, the directory of
//     plug-ins of the prefix whose bin/ it is in, and that of the prefix which the library was configured for
//
// Of two files with one name the first counts. Nothing is loaded here.
#pragma once
#include <string>
#include <vector>

namespace aqueduct::conduit::plugin {

struct File {
  std::string name;  ///< of the conduit
  std::string path;
};

std::vector<std::string> directories();

/// The file of that conduit; with an empty path if there is none.
File find_file(const std::string& name);

/// All that are there, by directory and then by name.
std::vector<File> find_files();

}  // namespace aqueduct::conduit::plugin
