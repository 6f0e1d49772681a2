#include "doctor/facts.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device/survey.hpp"
#include "fabric/udp/vector_seal.hpp"
#include "job/place/binding.hpp"
#include "net/network_interface.hpp"
#include "tools/common/child.hpp"

namespace aqueduct::doctor {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::uint64_t number_in(const std::string& path, std::uint64_t otherwise) {
  const std::string line = first_line(path);
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(line.c_str(), &end, 10);
  return end == line.c_str() ? otherwise : number;
}

std::uint64_t limit_of(int resource, bool hard) {
  rlimit limit = {};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  const rlim_t value = hard ? limit.rlim_max : limit.rlim_cur;
  return value == RLIM_INFINITY ? kUnlimited : value;
}

/// The control groups, version 2, of this process and of the levels above, which all have limits.
std::vector<std::string> control_groups(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  std::vector<std::string> groups;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    std::filesystem::path group = line.substr(3);
    for (;; group = group.parent_path()) {
      groups.push_back(root + "/sys/fs/cgroup" + (group == "/" ? "" : group.string()));
      if (group == "/" || group.empty()) break;
    }
  }
  return groups;
}

/// "max 100000" or "150000 100000": time in each period.
double quota_in(const std::string& line) {
  std::istringstream words(line);
  double quota = 0;
  double period = 0;
  return words >> quota >> period && period > 0 ? quota / period : 0;
}

void read_control_groups(Facts& facts, const std::string& root) {
  for (const std::string& group : control_groups(root)) {
    const double quota = quota_in(first_line(group + "/cpu.max"));
    if (quota > 0 && (facts.core_quota == 0 || quota < facts.core_quota)) facts.core_quota = quota;
    facts.memory_limit = std::min(facts.memory_limit, number_in(group + "/memory.max", kUnlimited));
  }
}

void read_limits(Facts& facts) {
  struct statvfs shm = {};
  if (statvfs("/dev/shm", &shm) == 0) {
    facts.shm_bytes = shm.f_blocks * shm.f_frsize;
    facts.shm_free_bytes = shm.f_bavail * shm.f_frsize;
  }
  facts.locked_limit = limit_of(RLIMIT_MEMLOCK, false);
  facts.descriptor_limit = limit_of(RLIMIT_NOFILE, true);
  facts.process_limit = limit_of(RLIMIT_NPROC, false);
  facts.address_limit = limit_of(RLIMIT_AS, false);
  facts.core_file_limit = limit_of(RLIMIT_CORE, false);
}

std::vector<std::string> addresses_of(const std::string& name) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<std::string> addresses;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text = {};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
        0)
      addresses.emplace_back(text.data());
  }
  freeaddrinfo(found);
  return addresses;
}

bool is_loadable(const char* library) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

std::string without_port(const net::Address& address) {
  const std::string text = address.text();
  return text.substr(0, text.rfind(':'));
}

void read_networks(Facts& facts, const std::string& root) {
  for (const net::NetworkInterface& each : net::network_interfaces()) {
    if (each.address.is_loopback()) continue;
    facts.interfaces.push_back({each.name, without_port(each.address),
                                number_in(root + "/sys/class/net/" + each.name + "/mtu", 0), each.is_up});
  }
  facts.receive_buffer_limit = number_in(root + "/proc/sys/net/core/rmem_max", kUnlimited);
}

void read_devices(Facts& facts, const std::string& root) {
  const auto is_there = [&](const char* node) { return access((root + node).c_str(), F_OK) == 0; };
  facts.has_device_nodes = is_there("/dev/nvidia0") || is_there("/dev/kfd");
  for (const device::SurveyedDriver& driver : device::survey()) {
    if (driver.version.empty()) {
      if (facts.has_device_nodes) facts.device_troubles.push_back(driver.why_not);
      continue;
    }
    for (const device::SurveyedDevice& each : driver.devices) {
      const std::string title =
          driver.family + " " + driver.version + ", device " + std::to_string(each.ordinal) + ": ";
      if (!each.why_not.empty()) {
        facts.device_troubles.push_back(title + each.why_not);
      } else {
        facts.devices.push_back(title + each.name);
        facts.devices_are_mapped &= each.can_export;
      }
    }
  }
  // With a driver that works, those of other families are not missed.
  if (!facts.devices.empty())
    std::erase_if(facts.device_troubles,
                  [](const std::string& why) { return why.starts_with("there is no "); });
}

}  // namespace

bool operator==(const InterfaceFacts& one, const InterfaceFacts& other) {
  return one.name == other.name && one.address == other.address && one.mtu == other.mtu &&
         one.is_up == other.is_up;
}

Facts read_facts(const std::string& root) {
  Facts facts;
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  facts.host = name.data();
  facts.cores = job::count_cpus(job::usable_cores());
  facts.cores_online = static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  facts.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  read_control_groups(facts, root);
  read_limits(facts);
  facts.overcommit = number_in(root + "/proc/sys/vm/overcommit_memory", 0);
  facts.core_pattern = first_line(root + "/proc/sys/kernel/core_pattern");
  facts.ptrace_scope = number_in(root + "/proc/sys/kernel/yama/ptrace_scope", 0);
  facts.has_debugger = is_in_path("gdb") || is_in_path("lldb");
  facts.clock_source = first_line(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.own_addresses = addresses_of(facts.host);
  read_networks(facts, root);
  facts.has_sodium = is_loadable("libsodium.so.23");
  facts.seal_advice = fabric::udp::vector_seal_advice();
  facts.has_remote_shell = is_in_path("ssh");
  for (const auto& [program, title] :
       {std::pair("mpirun.openmpi", "Open MPI"), std::pair("mpiexec.hydra", "MPICH")}) {
    if (is_in_path(program)) facts.mpi_launchers.emplace_back(title);
  }
  facts.has_libfabric = is_loadable("libfabric.so.1");
  read_devices(facts, root);
  return facts;
}

}  // namespace aqueduct::doctor
