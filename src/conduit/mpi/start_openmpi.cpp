// Open MPI. Where it is not started by its own mpirun it can ask a library for what PMI 1 offers; it loads
// the one that FLUX_PMI_LIBRARY_PATH names. That is this plug-in, whose functions below answer from
// KeyValues.
//
// Open MPI leaves files behind for a launcher to remove: where ranks share memory, and directories of the
// session. They are put into a directory of this rank, which is removed as soon as everybody has opened them.
//
// It writes pages of text when a peer is gone, which is the job's business: the job ends with one line that
// says why. So it is kept quiet once it has started; errors of calls still come back as codes.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/changed_environment.hpp"
#include "base/fatal.hpp"
#include "conduit/mpi/endpoint.hpp"
#include "conduit/mpi/start.hpp"

namespace aqueduct::conduit::mpi {
namespace {

KeyValues* served = nullptr;  // MPI asks for peers' addresses when it first sends there
bool is_starting = false;
bool is_quiet = false;
std::vector<int> on_this_machine;

// The ranks of this machine: those whose system has the same name.
void find_machine(KeyValues& values) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  values.put("host-" + std::to_string(values.rank()), host);
  values.fence();
  for (RankId rank = 0; rank < values.size(); ++rank) {
    if (*values.get("host-" + std::to_string(rank)) == host)
      on_this_machine.push_back(static_cast<int>(rank));
  }
}

// Names of what it shares must not be those of another job on this machine.
std::string job_number(KeyValues& values) {
  if (values.rank() == 0) {
    const auto moment = static_cast<std::uint64_t>(::getpid()) * 2654435761u;
    timespec now;
    ::clock_gettime(CLOCK_REALTIME, &now);
    values.put("job", std::to_string((moment ^ static_cast<std::uint64_t>(now.tv_nsec)) & 0x7fff));
  }
  values.fence();
  return *values.get("job");
}

std::string path_of(const void* address) {
  Dl_info found;
  if (::dladdr(address, &found) == 0 || !found.dli_fname)
    fatal("mpi", "the dynamic linker does not say where Open MPI was loaded from");
  return found.dli_fname;
}

class PrivateDirectory {
 public:
  PrivateDirectory() {
    for (const char* parent : {"/dev/shm", "/tmp"}) {
      std::string name = std::string(parent) + "/aqueduct-mpi-XXXXXX";
      if (::mkdtemp(name.data())) {
        path_ = name;
        return;
      }
    }
    fatal("mpi", "no directory can be made in /dev/shm nor in /tmp: %s; Open MPI needs one while it starts",
          std::strerror(errno));
  }
  ~PrivateDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// How messages go in shared memory, by settings of Open MPI's part for that (btl/vader).
//
//   eager_limit    up to so many bytes need no handshake, also the payloads of messages: a fifth of the time
//   flags          without `inplace`, which makes a request and a fragment for every message of more than 256
//                  bytes, they go into the peer's fast box (an array in order, no list)
//   fbox_size      the fast box, which takes messages of up to a quarter of it. One of 4 KiB is soon full,
//                  and each message then takes a fragment and waits in a list
//   segment_size   where all of that is. Pages that are not used cost nothing, but Open MPI wants room
void set_up_shared_memory(const PrivateDirectory& files, ChangedEnvironment& environment) {
  constexpr std::size_t kSegment = std::size_t{32} << 20;
  constexpr std::size_t kFastBox = std::size_t{64} << 10;
  std::error_code failed;
  const std::filesystem::space_info space = std::filesystem::space(files.path(), failed);
  const bool has_room = !failed && space.available >= 2 * kSegment * on_this_machine.size();
  const std::size_t most = has_room ? am::kMostMedium : kMostCopied;
  environment.set_default("OMPI_MCA_btl_vader_eager_limit", std::to_string(most + 256));
  if (!has_room) return;
  environment.set_default("OMPI_MCA_btl_vader_segment_size", std::to_string(kSegment));
  environment.set_default("OMPI_MCA_btl_vader_flags", "send,put,get,atomics,fetching-atomics");
  environment.set_default("OMPI_MCA_btl_vader_fbox_size", std::to_string(kFastBox));
}

int say_nothing(const char*, const char*, int, ...) { return 0; }

/// A symbol that some part of Open MPI exports; null without it.
void* find_symbol(const char* name, bool is_function) {
  void* const found = ::dlsym(RTLD_DEFAULT, name);
  Dl_info where;
  void* entry = nullptr;
  if (!found || ::dladdr1(found, &where, &entry, RTLD_DL_SYMENT) == 0 || !entry) return nullptr;
  const auto& symbol = *static_cast<const ElfW(Sym)*>(entry);
  const bool is_expected =
      is_function ? ELF64_ST_TYPE(symbol.st_info) == STT_FUNC
                  : ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size == sizeof(void*);
  return is_expected ? found : nullptr;
}

// It writes in three ways, and what is another thing than expected here is left alone:
//
//   opal_show_help      texts for people; a variable points to the function
//   opal_output         lines of its parts, to stream 0, which can be switched off. When a rank has died, a
//                       put into its memory writes such a line, and is tried again for as long as the job lives
//   mca_btl_base_err    lines of its networks; parts that are loaded after expose_plugin() find ours (below)
void keep_quiet() {
  is_quiet = true;
  if (void* const found = find_symbol("opal_show_help", false))
    *static_cast<int (**)(const char*, const char*, int, ...)>(found) = say_nothing;
  if (void* const found = find_symbol("opal_output_switch", true))
    reinterpret_cast<bool (*)(int stream, bool is_on)>(found)(0, false);
}

// Open MPI's components look for its symbols among those that everybody sees. The plug-in's come before them,
// unless the program itself is linked with Open MPI.
void expose_plugin() {
  for (const void* inside :
       {reinterpret_cast<const void*>(&kMpiTitle), reinterpret_cast<const void*>(&MPI_Init_thread)})
    ::dlopen(path_of(inside).c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

}  // namespace

const char* const kMpiName = "openmpi";
const char* const kMpiTitle = "Open MPI";
const std::size_t kMostCopied = std::size_t{8} << 10;

bool is_launchers() { return ::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

int start(KeyValues& values, int wanted_level) {
  expose_plugin();
  find_machine(values);
  const PrivateDirectory files;
  ChangedEnvironment environment;
  environment.set("FLUX_JOB_ID", job_number(values));
  environment.set("FLUX_PMI_LIBRARY_PATH", path_of(reinterpret_cast<const void*>(&kMpiTitle)));
  environment.set("OMPI_MCA_pmix", "flux");
  environment.set("OMPI_MCA_orte_tmpdir_base", files.path());
  environment.set("OMPI_MCA_btl_vader_backing_directory", files.path());
  set_up_shared_memory(files, environment);
  environment.set_default("OMPI_MCA_btl_base_warn_peer_error", "0");
  served = &values;
  is_starting = true;
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, wanted_level, &level);
  values.fence();  // everybody has opened what is in the directories
  is_starting = false;
  keep_quiet();
  return level;
}

// The request of every message that it had no need to keep, as of one to nobody.
MPI_Request request_over_at_return(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  char nothing = 0;
  MPI_Isend(&nothing, 0, MPI_BYTE, MPI_PROC_NULL, 0, communicator, &request);
  return request;
}

}  // namespace aqueduct::conduit::mpi

// PMI 1, as far as Open MPI asks for it.

using aqueduct::conduit::mpi::is_quiet;
using aqueduct::conduit::mpi::is_starting;
using aqueduct::conduit::mpi::KeyValues;
using aqueduct::conduit::mpi::on_this_machine;
using aqueduct::conduit::mpi::served;

namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = -1;
constexpr int kNoSuchKey = 4;

int answer(int* to, std::size_t value) {
  *to = static_cast<int>(value);
  return kSuccess;
}

int answer(char* to, int room, const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  if (bytes > static_cast<std::size_t>(std::max(room, 0))) return kFailure;
  std::memcpy(to, text, bytes);
  return kSuccess;
}

}  // namespace

#define AQUEDUCT_EXPORTED extern "C" [[gnu::visibility("default")]] int
// NOLINTBEGIN(readability-identifier-naming): the names of PMI
AQUEDUCT_EXPORTED PMI_Init(int* spawned) { return answer(spawned, 0); }
AQUEDUCT_EXPORTED PMI_Initialized(int* is) { return answer(is, served != nullptr); }
AQUEDUCT_EXPORTED PMI_Finalize() { return kSuccess; }
AQUEDUCT_EXPORTED PMI_Get_size(int* size) { return answer(size, served->size()); }
AQUEDUCT_EXPORTED PMI_Get_rank(int* rank) { return answer(rank, served->rank()); }
AQUEDUCT_EXPORTED PMI_Get_universe_size(int* size) { return answer(size, served->size()); }
AQUEDUCT_EXPORTED PMI_Get_appnum(int* number) { return answer(number, 0); }
AQUEDUCT_EXPORTED PMI_Get_clique_size(int* size) { return answer(size, on_this_machine.size()); }
AQUEDUCT_EXPORTED PMI_Get_clique_ranks(int* ranks, int room) {
  if (static_cast<std::size_t>(room) < on_this_machine.size()) return kFailure;
  std::copy(on_this_machine.begin(), on_this_machine.end(), ranks);
  return kSuccess;
}
AQUEDUCT_EXPORTED PMI_KVS_Get_my_name(char* name, int room) { return answer(name, room, "aqueduct"); }
AQUEDUCT_EXPORTED PMI_KVS_Get_name_length_max(int* most) { return answer(most, KeyValues::kMostKey); }
AQUEDUCT_EXPORTED PMI_KVS_Get_key_length_max(int* most) { return answer(most, KeyValues::kMostKey); }
AQUEDUCT_EXPORTED PMI_KVS_Get_value_length_max(int* most) { return answer(most, KeyValues::kMostValue); }
AQUEDUCT_EXPORTED PMI_KVS_Put(const char*, const char* key, const char* value) {
  served->put(key, value);
  return kSuccess;
}
AQUEDUCT_EXPORTED PMI_KVS_Commit(const char*) { return kSuccess; }
// Later the bootstrap is not ours: a barrier of MPI_Finalize() is over at once.
AQUEDUCT_EXPORTED PMI_Barrier() {
  if (is_starting) served->fence();
  return kSuccess;
}
AQUEDUCT_EXPORTED PMI_KVS_Get(const char*, const char* key, char* value, int room) {
  const std::string* const found = served->get(key);
  return found ? answer(value, room, found->c_str()) : kNoSuchKey;
}
AQUEDUCT_EXPORTED PMI_Abort(int code, const char* why) {
  aqueduct::fatal("mpi", "Open MPI ends the job with code %d: %s", code,
                  why && *why ? why : "it does not say why");
}

// Open MPI's, in place of its own.
AQUEDUCT_EXPORTED mca_btl_base_err(const char* format, ...) {
  if (is_quiet) return 0;
  va_list arguments;
  va_start(arguments, format);
  const int written = std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  return written;
}
// NOLINTEND(readability-identifier-naming)
