// Finds out how a process has ended that is not a child of this one.
#pragma once
#include <sys/types.h>

#include <optional>

#include "net/descriptor.hpp"

namespace aqueduct::job::warden {

/// A descriptor that becomes readable when the process has ended; invalid if the system forbids it.
net::Descriptor open_process(pid_t pid);

/// Sends a signal to the process, if it still exists.
void signal_process(int process_fd, int signal);

/// The wait status of a process that has ended: from the kernel (Linux 6.15), otherwise from /proc while its
/// parent has not reaped it. Nothing if neither has it.
std::optional<int> exit_status(int process_fd, pid_t pid);

}  // namespace aqueduct::job::warden
