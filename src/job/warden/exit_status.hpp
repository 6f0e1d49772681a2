// How a process ended that is not a child of ours.
#pragma once
#include <sys/types.h>

#include <optional>

#include "net/descriptor.hpp"

namespace aqueduct::job::warden {

/// A descriptor that becomes readable when the process has ended; invalid where the system forbids it.
net::Descriptor open_process(pid_t pid);

/// Sends a signal to it, if it is still there.
void signal_process(int process_fd, int signal);

/// Its wait status, once it has ended: from the kernel where it tells (Linux 6.15), otherwise from what is
/// left of the process until its parent has asked. Nothing where neither knows.
std::optional<int> exit_status(int process_fd, pid_t pid);

}  // namespace aqueduct::job::warden
