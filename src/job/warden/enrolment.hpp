// How ranks without a common parent get shared memory and a supervisor: one of them, the leader of the host,
// forks a warden (job/warden/warden.hpp), which listens at a socket without a name in a file system. Each
// rank of the host connects and sends its number; the connection is its control socket from then on
// (job/place/control.hpp). When all are there, the warden sends each the descriptor of the memory that they
// share.
//
//   rank    Enrol    which rank, and on which cores it may run
//   warden  Welcome  how many cores the ranks have together; with the descriptor of the memory
//
// The name is random and reaches the ranks through their launcher. Both sides ask the kernel for the other
// side's user and refuse other users.
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
  std::int32_t session = 0;  ///< the session of processes to which it belongs
  std::uint32_t spare = 0;
  cpu_set_t cpus = {};
};

struct Welcome {
  std::uint64_t magic = Enrol::kMagic;
  std::uint32_t cores = 1;
  /// Whether a rank that yields its core lets other ranks run. If the kernel schedules sessions as groups,
  /// only ranks of the same session run then, and some launchers give each rank its own.
  std::uint32_t yields_reach_others = 1;
};

/// The warden's side: listens at `name`; invalid with errno if that is not possible.
net::Descriptor listen_for_ranks(std::uint64_t name);

/// The connection of a rank that has sent its Enrol.
struct Enrolment {
  net::Descriptor control;
  pid_t pid = -1;
  Enrol said;
};
/// The next rank that waits at the listener; waits for its Enrol for a second at most. Nothing if there is
/// none, or it belongs to another user.
std::optional<Enrolment> accept_rank(int listener);
bool welcome(int control, const Welcome& answer, int memory_fd);

/// The rank's side: what a rank has after enrol().
struct Enrolled {
  int control_fd = -1;
  int memory_fd = -1;
  unsigned cores = 1;
  bool yields_reach_others = true;
};
/// Waits for the warden to listen, then for the other ranks of the host, for `timeout_ms` each. Fatal if they
/// do not come.
Enrolled enrol(std::uint64_t name, RankId rank, int timeout_ms);

}  // namespace aqueduct::job::warden
