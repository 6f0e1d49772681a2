#include "conduit/mpi/session.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "conduit/mpi/start.hpp"

namespace aqueduct::conduit::mpi {
namespace {

struct Level {
  const char* name;
  int level;
};
constexpr Level kLevels[] = {{"single", MPI_THREAD_SINGLE},
                             {"funneled", MPI_THREAD_FUNNELED},
                             {"serialized", MPI_THREAD_SERIALIZED},
                             {"multiple", MPI_THREAD_MULTIPLE}};

const char* name_of(int level) {
  const auto* found = std::ranges::find(kLevels, level, &Level::level);
  return found == std::end(kLevels) ? "unknown" : found->name;
}

// Its threads may call MPI themselves, whatever ours do.
bool is_in_program() {
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  return program && ::dlsym(program, "MPI_Init") != nullptr;
}

// With more than single, messages of 2 KiB take half as long again: MPI's locks wait for the bytes to arrive.
int wanted_level(bool has_one_thread, bool has_other_callers) {
  const char* const ours = has_one_thread ? "single" : "serialized";
  const char* const text =
      env::text({"AQUEDUCT_MPI_THREAD", "GASNET_MPI_THREAD"}, has_other_callers ? "multiple" : ours);
  for (const Level& level : kLevels) {
    if (::strcasecmp(text, level.name) == 0) return level.level;
  }
  fatal("mpi", "AQUEDUCT_MPI_THREAD=%s: use single, funneled, serialized or multiple", text);
}

// In a program that is linked with another MPI it is that one which is called here. Its text may be longer
// than this one's MPI_MAX_LIBRARY_VERSION_STRING.
void require_this_mpi() {
  std::string library(std::size_t{16} << 10, '\0');
  int length = 0;
  MPI_Get_library_version(library.data(), &length);
  library.resize(library.find_first_of(std::string_view("\0\n,", 3)));
  if (library.starts_with(kMpiTitle)) return;
  fatal(
      "mpi",
      "the program is linked with another MPI (%s), and a process has one: leave AQUEDUCT_MPI unset and use "
      "--conduit mpi, or link the program with %s",
      library.c_str(), kMpiTitle);
}

}  // namespace

Session::Session(const Opening& opening) {
  require_this_mpi();
  int is_started = 0, is_over = 0;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_over);
  if (is_over) fatal("mpi", "the program has called MPI_Finalize; start the library before that");
  const bool has_other_callers = is_in_program();
  const int wanted = wanted_level(opening.has_one_thread, has_other_callers);
  int level = 0;
  if (is_started) {
    MPI_Query_thread(&level);
  } else {
    level = start(*new KeyValues(opening.bootstrap), wanted);
    is_ours_ = true;
  }
  if (level < MPI_THREAD_SERIALIZED) only_thread_ = __builtin_thread_pointer();
  serves_any_thread_ =
      level == MPI_THREAD_MULTIPLE || (level == MPI_THREAD_SERIALIZED && is_ours_ && !has_other_callers);

  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (static_cast<RankId>(size) != opening.place.size) {
    fatal(
        "mpi",
        "%s has %d process%s in MPI_COMM_WORLD and the job has %u ranks: the program was launched by another "
        "one than its MPI's mpirun; use that, or let the library start MPI",
        kMpiTitle, size, size == 1 ? "" : "es", opening.place.size);
  }
  check(MPI_Comm_split(MPI_COMM_WORLD, 0, static_cast<int>(opening.place.rank), &communicator_),
        "MPI_Comm_split");
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  watch_for_end();
}

// MPI_Finalize first deletes what is attached to MPI_COMM_SELF.
void Session::watch_for_end() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(
      MPI_COMM_NULL_COPY_FN,
      [](MPI_Comm, int, void* session, void*) {
        static_cast<Session*>(session)->end();
        return MPI_SUCCESS;
      },
      &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
}

void Session::end() {
  const std::lock_guard guard(*this);
  if (at_end_) at_end_();
  is_over_ = true;
}

void Session::refuse_thread() {
  int level = 0;
  MPI_Query_thread(&level);
  fatal("mpi", "a second thread communicates, and %s offers only the level '%s' to this program; %s",
        kMpiTitle, name_of(level),
        is_ours_ ? "leave AQUEDUCT_MPI_THREAD unset, or use one thread"
                 : "start it with MPI_Init_thread and MPI_THREAD_SERIALIZED, or let the library start it");
}

void Session::failed(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::replace(text, text + length, '\n', ' ');
  fatal("mpi", "%s of %s failed: %s", what, kMpiTitle, text);
}

}  // namespace aqueduct::conduit::mpi
