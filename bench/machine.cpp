#include "machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gasnet_config.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#define AQUEDUCT_TEXT_OF(token) #token
#define AQUEDUCT_TEXT(token) AQUEDUCT_TEXT_OF(token)

namespace aqueduct::bench {
namespace {

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname name{};
  uname(&name);
  return name.machine;
}

unsigned usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

std::string kernel_release() {
  utsname name{};
  uname(&name);
  return fmt::format("{} {}", name.sysname, name.release);
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

/// Threads of other programs that want a core now; the kernel's averages would still include our own last
/// run.
double other_runnable_threads() {
  constexpr int kLooks = 10;
  int sum = 0;
  for (int look = 0; look < kLooks; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::ifstream loadavg("/proc/loadavg");
    double average = 0;
    int runnable = 1;
    loadavg >> average >> average >> average >> runnable;
    sum += std::max(0, runnable - 1);
  }
  return static_cast<double>(sum) / kLooks;
}

}  // namespace

Machine describe_machine(const Parameters& parameters) {
  const unsigned cores = usable_cores();
  return {.cpu = cpu_name(),
          .cores = cores,
          .kernel = kernel_release(),
          .compiler = compiler_name(),
          .version = AQUEDUCT_TEXT(AQUEDUCT_VERSION),
          .bind = parameters.bind,
          .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
          .load = other_runnable_threads(),
          .oversubscribed = parameters.ranks * parameters.threads > cores};
}

}  // namespace aqueduct::bench
