#include "conduit/plugin/which_mpi.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/env.hpp"

namespace aqueduct::conduit::plugin {
namespace {

constexpr const char* kOpenMpi = "openmpi";
constexpr const char* kMpich = "mpich";
constexpr std::array<const char*, 2> kMpis = {kOpenMpi, kMpich};

File file_of(const std::string& mpi) { return find_file(std::string(kMpi) + "-" + mpi); }

// The version text of the MPI in this program; empty if there is none.
std::string library_of_program() {
  using GetLibraryVersion = int (*)(char* text, int* length);
  auto* const get_version =
      reinterpret_cast<GetLibraryVersion>(::dlsym(RTLD_DEFAULT, "MPI_Get_library_version"));
  if (!get_version) return {};
  std::string text(8192 + 1, '\0');  // more than the largest MPI_MAX_LIBRARY_VERSION_STRING
  int length = 0;
  get_version(text.data(), &length);
  text.resize(text.find_first_of(std::string_view("\0\n,", 3)));
  return text;
}

const char* launchers_mpi() {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  if (is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMIX_RANK")) return kOpenMpi;
  if (is_set("PMI_FD") || is_set("PMI_PORT") || is_set("PMI_RANK")) return kMpich;
  return nullptr;
}

std::string missing(const std::string& mpi) {
  return "there is no libaqueduct-conduit-mpi-" + mpi +
         ".so where plug-ins are looked for; the library was built without that MPI";
}

}  // namespace

bool has_mpi(std::string* why) {
  for (const char* mpi : kMpis) {
    if (!file_of(mpi).path.empty()) return true;
  }
  *why =
      "there is no conduit 'mpi': the library was built without an MPI; install Open MPI or MPICH with its "
      "headers "
      "and build it again";
  return false;
}

File find_mpi(std::string* why) {
  if (!has_mpi(why)) return {kMpi, {}};
  if (const char* const wanted = env::text({"AQUEDUCT_MPI"})) {
    for (const char* mpi : kMpis) {
      if (mpi != std::string_view(wanted)) continue;
      File file = file_of(mpi);
      if (file.path.empty()) *why = std::string("AQUEDUCT_MPI=") + wanted + ": " + missing(mpi);
      return file;
    }
    *why = std::string("AQUEDUCT_MPI=") + wanted + ": use openmpi or mpich";
    return {kMpi, {}};
  }
  if (const std::string library = library_of_program(); !library.empty()) {
    const bool is_open = library.starts_with("Open MPI");
    if (!is_open && !library.starts_with("MPICH")) {
      *why = "the program uses another MPI than Open MPI and MPICH: " + library;
      return {kMpi, {}};
    }
    const char* const mpi = is_open ? kOpenMpi : kMpich;
    File file = file_of(mpi);
    if (file.path.empty()) *why = "the program uses " + library + ", and " + missing(mpi);
    return file;
  }
  if (const char* const mpi = launchers_mpi()) {
    if (File file = file_of(mpi); !file.path.empty()) return file;
  }
  File file = file_of(kOpenMpi);
  return file.path.empty() ? file_of(kMpich) : file;
}

}  // namespace aqueduct::conduit::plugin
