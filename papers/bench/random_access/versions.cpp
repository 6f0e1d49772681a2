#include "papers/bench/random_access/versions.hpp"

namespace aqueduct::bench::random_access {

std::vector<VersionKind> further_versions() {
  return {
      {"velo", "bare VELO: a message of EXTOLL's interface for each update", true, make_velo, "extoll"},
      {"message-passing", "two-sided: a message of the minimal MPI for each update", true,
       make_message_passing, "portals3"},
  };
}

}  // namespace aqueduct::bench::random_access
