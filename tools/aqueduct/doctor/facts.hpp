// What `aqueduct doctor` knows about a host. It is read once, judged in doctor/findings.hpp, and agents of
// other hosts send it as the member `system` of the output of `aqueduct info --json`.
//
// A number without a limit, or that the system does not have, is kUnlimited; such a text is empty.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace aqueduct::doctor {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

struct InterfaceFacts {
  std::string name;
  std::string address;
  std::uint64_t mtu = 0;
  bool is_up = false;
};

struct Facts {
  std::string host;
  std::uint64_t cores = 0;         ///< that this process may use
  std::uint64_t cores_online = 0;  ///< of the machine
  double core_quota = 0;           ///< how many cores' time the control group allows; 0: all
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_limit = kUnlimited;  ///< of the control group
  std::uint64_t shm_bytes = kUnlimited;     ///< of /dev/shm
  std::uint64_t shm_free_bytes = kUnlimited;
  std::uint64_t locked_limit = kUnlimited;
  std::uint64_t descriptor_limit = kUnlimited;  ///< the hard one
  std::uint64_t process_limit = kUnlimited;
  std::uint64_t address_limit = kUnlimited;
  std::uint64_t core_file_limit = kUnlimited;
  std::uint64_t overcommit = 0;  ///< vm.overcommit_memory
  std::string core_pattern;
  std::uint64_t ptrace_scope = 0;
  bool has_debugger = false;  ///< gdb or lldb
  std::string clock_source;
  std::vector<std::string> own_addresses;  ///< what the host's name resolves to
  std::vector<InterfaceFacts> interfaces;  ///< without loopback
  std::uint64_t receive_buffer_limit = kUnlimited;
  bool has_sodium = false;
  std::string seal_advice;  ///< what would make seals several times as fast; empty where nothing would
  bool has_remote_shell = false;
  std::vector<std::string> mpi_launchers;  ///< "mpirun (Open MPI)"
  bool has_libfabric = false;
  bool has_device_nodes = false;     ///< /dev/nvidia0 or /dev/kfd: there is a card, whatever its driver says
  std::vector<std::string> devices;  ///< that can be used: "CUDA 12.4, device 0: NVIDIA H200"
  std::vector<std::string>
      device_troubles;  ///< why one, or its driver, cannot be used; not for drivers that are not there
  bool devices_are_mapped = true;  ///< neighbours can map the memory of all of them
  bool operator==(const Facts&) const = default;
};
bool operator==(const InterfaceFacts& one, const InterfaceFacts& other);

/// Reads the facts. `root` is a directory in front of /proc and /sys, for tests; limits are those of this
/// process.
Facts read_facts(const std::string& root = "");

/// In the form of the member `system`. Reading a malformed text gives nothing.
std::string facts_as_json(const Facts& facts);
std::optional<Facts> facts_from_json(const std::string& text);

}  // namespace aqueduct::doctor
