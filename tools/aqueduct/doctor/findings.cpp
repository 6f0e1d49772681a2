#include "doctor/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "job/supervision/descriptor_limit.hpp"

namespace aqueduct::doctor {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

std::string in_units(std::uint64_t bytes) {
  if (bytes == kUnlimited) return "unlimited";
  if (bytes >= kGibibyte) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGibibyte);
  if (bytes >= kMebibyte) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMebibyte);
  return fmt::format("{} KiB", bytes >> 10);
}

Finding cores(const Facts& facts, RankId ranks) {
  const bool has_quota = facts.core_quota > 0 && facts.core_quota < static_cast<double>(facts.cores);
  const double usable = has_quota ? facts.core_quota : static_cast<double>(facts.cores);
  if (static_cast<double>(ranks) > usable) {
    return {FindingLevel::kWarning, "cores",
            fmt::format("{} ranks share {:g} cores: each waits while another computes", ranks, usable),
            has_quota ? "start fewer ranks, or raise cpu.max of the control group (docker: --cpus)"
                      : "start fewer ranks, or use more hosts (--hosts)"};
  }
  if (has_quota) {
    return {FindingLevel::kWarning, "cores",
            fmt::format("the control group allows the time of {:g} of {} cores: ranks that spin are stopped "
                        "for milliseconds",
                        facts.core_quota, facts.cores),
            "raise cpu.max of the control group (docker: --cpus), or start fewer ranks"};
  }
  if (facts.cores < facts.cores_online) {
    return {FindingLevel::kNote, "cores",
            fmt::format("this process may use {} of the machine's {} hardware threads", facts.cores,
                        facts.cores_online),
            "if that is not meant: look at taskset, the batch system, or the container's cpuset"};
  }
  return {FindingLevel::kOk, "cores", fmt::format("{} for {} ranks", facts.cores, ranks), ""};
}

Finding memory(const Facts& facts) {
  if (facts.memory_limit < facts.memory_bytes) {
    return {FindingLevel::kNote, "memory",
            fmt::format("the control group allows {} of {}; segments are limited by the whole",
                        in_units(facts.memory_limit), in_units(facts.memory_bytes)),
            fmt::format("set GASNET_MAX_SEGSIZE={}M/H, so that no rank is killed for want of memory",
                        facts.memory_limit / kMebibyte / 2)};
  }
  if (facts.overcommit == 2) {
    return {FindingLevel::kWarning, "memory",
            "vm.overcommit_memory is 2: large segments that are hardly used are refused",
            "sysctl vm.overcommit_memory=0, or a small GASNET_MAX_SEGSIZE"};
  }
  return {FindingLevel::kOk, "memory",
          fmt::format("{}, no limit by a control group", in_units(facts.memory_bytes)), ""};
}

Finding address_space(const Facts& facts) {
  if (facts.address_limit != kUnlimited) {
    return {FindingLevel::kProblem, "address space",
            fmt::format("ulimit -v is {}: ranks map the memory of all their neighbours",
                        in_units(facts.address_limit)),
            "ulimit -v unlimited"};
  }
  return {FindingLevel::kOk, "address space", "unlimited", ""};
}

Finding descriptors(const Facts& facts, RankId ranks) {
  const std::uint64_t needed = job::descriptors_for(ranks);
  if (facts.descriptor_limit < needed) {
    return {
        FindingLevel::kProblem, "descriptors",
        fmt::format("ulimit -Hn is {}; a job of {} ranks needs {}", facts.descriptor_limit, ranks, needed),
        fmt::format("ulimit -Hn {}, or nofile in /etc/security/limits.conf", needed)};
  }
  if (facts.process_limit < ranks + std::uint64_t{16}) {
    return {FindingLevel::kProblem, "processes",
            fmt::format("ulimit -u is {}: too few for {} ranks", facts.process_limit, ranks),
            "ulimit -u, or nproc in /etc/security/limits.conf"};
  }
  return {FindingLevel::kOk, "descriptors",
          fmt::format("the launcher of {} ranks needs {}: {} each, and {}; {} (ulimit -Hn)", ranks, needed,
                      job::kDescriptorsOfRank, job::kOtherDescriptors,
                      facts.descriptor_limit == kUnlimited
                          ? "there is no limit"
                          : fmt::format("{} may be open", facts.descriptor_limit)),
          ""};
}

Finding shared_memory(const Facts& facts, RankId ranks) {
  // Jobs take shared memory from a memfd; MPI libraries take it from /dev/shm.
  const std::uint64_t wanted = std::uint64_t{ranks} * 32 * kMebibyte;
  if (!facts.mpi_launchers.empty() && facts.shm_free_bytes < wanted) {
    return {FindingLevel::kWarning, "/dev/shm",
            fmt::format("{} free: MPI libraries may fail there. Aqueduct itself does not need it",
                        in_units(facts.shm_free_bytes)),
            "docker: --shm-size=1g; or mount -o remount,size=1g /dev/shm"};
  }
  return {FindingLevel::kOk, "/dev/shm",
          fmt::format("{} free; used by MPI libraries only", in_units(facts.shm_free_bytes)), ""};
}

Finding locked_memory(const Facts& facts) {
  if (facts.has_libfabric && facts.locked_limit < 64 * kMebibyte) {
    return {FindingLevel::kWarning, "locked memory",
            fmt::format("ulimit -l is {}: conduit ofi cannot register segments with a network card",
                        in_units(facts.locked_limit)),
            "ulimit -l unlimited, or memlock in /etc/security/limits.conf; udp and smp need none"};
  }
  return {FindingLevel::kOk, "locked memory", in_units(facts.locked_limit), ""};
}

Finding debugging(const Facts& facts) {
  if (facts.ptrace_scope >= 2) {
    return {
        FindingLevel::kWarning, "debuggers",
        fmt::format("kernel.yama.ptrace_scope is {}: no debugger may look into ranks", facts.ptrace_scope),
        "sysctl kernel.yama.ptrace_scope=1"};
  }
  if (!facts.has_debugger) {
    return {FindingLevel::kNote, "debuggers",
            "neither gdb nor lldb is installed: GASNET_BACKTRACE prints addresses without lines",
            "apt-get install gdb"};
  }
  return {FindingLevel::kOk, "debuggers", "there is one, and it may look into ranks", ""};
}

Finding core_files(const Facts& facts) {
  if (facts.core_file_limit == 0)
    return {FindingLevel::kNote, "core files", "none are written (ulimit -c is 0)",
            "ulimit -c unlimited, to look into a rank that crashed"};
  if (!facts.core_pattern.empty() && facts.core_pattern.front() == '|')
    return {FindingLevel::kOk, "core files",
            "are handed to " + facts.core_pattern.substr(1, facts.core_pattern.find(' ') - 1), ""};
  return {FindingLevel::kOk, "core files", "are written", ""};
}

Finding clock(const Facts& facts) {
  if (!facts.clock_source.empty() && facts.clock_source != "tsc" && facts.clock_source != "kvm-clock" &&
      facts.clock_source != "arch_sys_counter") {
    return {FindingLevel::kWarning, "clock",
            fmt::format(
                "the kernel's clock is {}: reading it is a system call, so figures of benchmarks are coarse",
                facts.clock_source),
            "boot with clocksource=tsc where the processor allows it"};
  }
  return {FindingLevel::kOk, "clock", facts.clock_source.empty() ? "unknown" : facts.clock_source, ""};
}

bool is_loopback(const std::string& address) { return address.rfind("127.", 0) == 0 || address == "::1"; }

Finding host_name(const Facts& facts) {
  if (facts.own_addresses.empty()) {
    return {FindingLevel::kWarning, "host name",
            fmt::format("{} does not resolve: MPI launchers and other hosts look it up", facts.host),
            fmt::format("add a line for {} to /etc/hosts", facts.host)};
  }
  if (std::all_of(facts.own_addresses.begin(), facts.own_addresses.end(), is_loopback) &&
      !facts.interfaces.empty()) {
    return {FindingLevel::kNote, "host name",
            fmt::format("{} resolves to {} only: other launchers may tell other hosts that address",
                        facts.host, facts.own_addresses.front()),
            "in /etc/hosts, give it the address of a network; aqueduct run does not depend on it"};
  }
  return {FindingLevel::kOk, "host name", fmt::format("{} is {}", facts.host, facts.own_addresses.front()),
          ""};
}

Finding network(const Facts& facts) {
  const auto up = std::find_if(facts.interfaces.begin(), facts.interfaces.end(),
                               [](const InterfaceFacts& each) { return each.is_up; });
  if (up == facts.interfaces.end())
    return {FindingLevel::kNote, "network", "no interface is up but loopback: jobs of this host alone",
            "ip link set DEV up"};
  std::vector<std::string> words;
  for (const InterfaceFacts& each : facts.interfaces) {
    if (each.is_up) words.push_back(fmt::format("{} {} (MTU {})", each.name, each.address, each.mtu));
  }
  return {FindingLevel::kOk, "network", fmt::format("{}", fmt::join(words, ", ")), ""};
}

Finding datagrams(const Facts& facts) {
  constexpr std::uint64_t kEnough = kMebibyte;
  if (!facts.has_sodium)
    return {FindingLevel::kProblem, "udp",
            "libsodium.so.23 is missing: conduit udp authenticates datagrams with it",
            "apt-get install libsodium23, or AQUEDUCT_UDP_SECURITY=none on a network that you trust"};
  if (facts.receive_buffer_limit < kEnough) {
    return {FindingLevel::kNote, "udp",
            fmt::format("net.core.rmem_max is {}: bursts of datagrams are lost, and sent again",
                        in_units(facts.receive_buffer_limit)),
            "sysctl net.core.rmem_max=8388608"};
  }
  if (!facts.seal_advice.empty()) {
    return {FindingLevel::kNote, "udp",
            "libsodium seals datagrams and copies them for that; libIPSec_MB is several times as fast",
            facts.seal_advice};
  }
  return {FindingLevel::kOk, "udp",
          fmt::format("receive buffers of up to {}", in_units(facts.receive_buffer_limit)), ""};
}

Finding remote_shell(const Facts& facts) {
  if (!facts.has_remote_shell)
    return {FindingLevel::kNote, "ssh", "is not installed: aqueduct run --hosts needs it, or --rsh",
            "apt-get install openssh-client"};
  return {FindingLevel::kOk, "ssh", "is installed; --hosts tries it", ""};
}

Finding devices(const Facts& facts) {
  if (!facts.device_troubles.empty()) {
    return {FindingLevel::kWarning, "devices",
            fmt::format("{}: programs that ask for its memory fail", fmt::join(facts.device_troubles, "; ")),
            "install or update the driver of the card; in a container, hand its devices and its driver in"};
  }
  if (facts.devices.empty()) return {FindingLevel::kOk, "devices", "none with memory of their own", ""};
  if (!facts.devices_are_mapped) {
    return {
        FindingLevel::kNote, "devices",
        fmt::format(
            "{}: ranks of this host cannot map each other's memory there, so it is staged through the host's",
            fmt::join(facts.devices, "; ")),
        "in a container, share the PID namespace and /dev/shm of the ranks (--pid=host --ipc=host)"};
  }
  return {FindingLevel::kOk, "devices",
          fmt::format(
              "{}; neighbours map their memory, what is staged or pinned does not count against ulimit -l",
              fmt::join(facts.devices, "; ")),
          ""};
}

constexpr std::array kMarks = {"ok", "note", "warning", "PROBLEM"};

}  // namespace

std::vector<Finding> judge_host(const Facts& facts, RankId ranks) {
  return {cores(facts, ranks),
          memory(facts),
          address_space(facts),
          descriptors(facts, ranks),
          shared_memory(facts, ranks),
          locked_memory(facts),
          host_name(facts),
          network(facts),
          datagrams(facts),
          devices(facts),
          remote_shell(facts),
          debugging(facts),
          core_files(facts),
          clock(facts)};
}

std::vector<Finding> judge_hosts(const std::vector<Facts>& hosts) {
  std::vector<std::string> sizes;
  bool differs = false;
  std::uint64_t first = 0;
  for (const Facts& host : hosts) {
    const auto up = std::find_if(host.interfaces.begin(), host.interfaces.end(),
                                 [](const InterfaceFacts& each) { return each.is_up; });
    if (up == host.interfaces.end()) continue;
    if (sizes.empty()) first = up->mtu;
    differs = differs || up->mtu != first;
    sizes.push_back(fmt::format("{} {} of {}", up->mtu, up->name, host.host));
  }
  if (!differs)
    return {
        {FindingLevel::kOk, "MTU", sizes.empty() ? "no network" : fmt::format("{} on all hosts", first), ""}};
  return {{FindingLevel::kWarning, "MTU",
           fmt::format("differs: {}; packets that are too large vanish where a switch does not say so",
                       fmt::join(sizes, ", ")),
           "give all interfaces of one network the same MTU"}};
}

bool has_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& each) { return each.level == FindingLevel::kProblem; });
}

std::string as_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& each : findings) {
    fmt::format_to(std::back_inserter(out), "  {:<8} {:<14} {}\n",
                   kMarks[static_cast<std::size_t>(each.level)], each.subject, each.what);
    if (each.level != FindingLevel::kOk && !each.fix.empty())
      fmt::format_to(std::back_inserter(out), "  {:<8} {:<14} fix: {}\n", "", "", each.fix);
  }
  return out;
}

}  // namespace aqueduct::doctor
