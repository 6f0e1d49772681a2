// How ranks that no common parent has started come to share memory and a supervisor: one of them, the leader
// of the host, forks a warden (job/warden/warden.hpp), which listens at a socket without a name in a file
// system. Each rank of the host connects and tells its number; the connection is its control socket from then
// on (job/place/control.hpp). When all are there, each is sent the descriptor of the memory that they share.
//
//   rank    Enrol    which rank, and on which cores it may run
//   warden  Welcome  how many cores the ranks have together; with the descriptor of the memory
//
// The name is random and reaches the ranks through their launcher. Both sides ask the kernel who the other
// one is and refuse other users.
#pragma once
#include <sched.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/types.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job::warden {

struct Enrol {
  static constexpr std::uint64_t kMagic = 0x4151'5545'4e52'4f4c;

  std::uint64_t magic = kMagic;
  std::uint32_t version = 1;
  RankId rank = 0;
  std::int32_t session = 0;  ///< of processes, to which it belongs
  std::uint32_t spare = 0;
  cpu_set_t cpus = {};
};

struct Welcome {
  std::uint64_t magic = Enrol::kMagic;
  std::uint32_t cores = 1;
  /// Whether a rank that yields its core lets other ranks run. Where the kernel schedules sessions as groups
  /// it lets only those of its own session, and some launchers give each rank one.
  std::uint32_t yields_reach_others = 1;
};

/// The warden's side. Listens at the name; invalid with errno if that is not possible.
net::Descriptor listen_for_ranks(std::uint64_t name);

/// A connection that has shown who it is.
struct Enrolment {
  net::Descriptor control;
  pid_t pid = -1;
  Enrol said;
};
/// The next one that waits at the listener, with what it says, which is waited for, a second at most. Nothing
/// if there is none, or it belongs to somebody else.
std::optional<Enrolment> accept_rank(int listener);
bool welcome(int control, const Welcome& answer, int memory_fd);

/// The rank's side. What it has afterwards.
struct Enrolled {
  int control_fd = -1;
  int memory_fd = -1;
  unsigned cores = 1;
  bool yields_reach_others = true;
};
/// Waits for the warden to listen, and for the other ranks of the host, for `timeout_ms` each. Fatal if they
/// do not come.
Enrolled enrol(std::uint64_t name, RankId rank, int timeout_ms);

}  // namespace aqueduct::job::warden
