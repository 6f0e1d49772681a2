#include "job/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"

namespace aqueduct::job {

int create_shared_memory() {
  const int fd = ::memfd_create("aqueduct", MFD_CLOEXEC);
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(kSharedMemoryBytes)) == 0) return fd;
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return -1;
}

void* map_shared(int memory_fd, std::size_t offset, std::size_t bytes, const char* what) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory_fd,
                        static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) {
    fatal("start", "cannot map %s, %zu MiB of address space: %s", what, bytes >> 20, std::strerror(errno));
  }
  return mapped;
}

}  // namespace aqueduct::job
