// A descriptor of another process of this user.
#pragma once
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace aqueduct::device {

/// A copy of it in this process; -1, with errno, where the system does not allow that.
inline int take_descriptor(int process, int descriptor) {
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_getfd)
  const int owner = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (owner < 0) return -1;
  const int taken = static_cast<int>(::syscall(SYS_pidfd_getfd, owner, descriptor, 0));
  const int error = errno;
  ::close(owner);
  errno = error;
  return taken;
#else
  (void)process, (void)descriptor;
  errno = ENOSYS;
  return -1;
#endif
}

}  // namespace aqueduct::device
