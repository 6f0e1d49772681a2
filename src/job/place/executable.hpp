// Which executable this process runs, by the build id that linkers write into it: executables of different
// code have different ids, whatever their paths.
#pragma once
#include <string>

namespace aqueduct::job {

struct Executable {
  std::string build_id;  ///< in hexadecimal digits; empty where the linker has written none
  std::string place;     ///< "/home/me/a on host b", for people
};

Executable own_executable();

}  // namespace aqueduct::job
