#include "aqueduct/tools/system.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>

#include "gasnet_tools/failure.hpp"

namespace {

template <std::size_t Size>
using Text = std::array<char, Size>;

Text<256> find_host_name() {
  Text<256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return name;
}

Text<PATH_MAX> find_executable() {
  Text<PATH_MAX> path = {};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) path[0] = '\0';
  return path;
}

}  // namespace

extern "C" {

const char* gasnett_gethostname(void) {
  static const auto name = find_host_name();
  return name.data();
}

const char* gasnett_exe_name(void) {
  static const auto path = find_executable();
  return path.data();
}

int gasnett_cpu_count(void) { return std::max(0, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

uint64_t gasnett_getPhysMemSz(int failure_is_fatal) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
  if (failure_is_fatal) {
    aqueduct::gasnet_tools::fail("gasnett_getPhysMemSz", nullptr,
                                 "the system does not tell how much memory it has");
  }
  return 0;
}

int gasnett_set_affinity(int rank) {
  const int processors = gasnett_cpu_count();
  if (processors == 0) return 1;
  const int processor = (rank % processors + processors) % processors;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<unsigned>(processor), &only);
  return sched_setaffinity(0, sizeof only, &only);
}

void gasnett_sched_yield(void) { sched_yield(); }

}  // extern "C"
