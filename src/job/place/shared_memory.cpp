#include "job/place/shared_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/fatal.hpp"

namespace aqueduct::job {
namespace {

/// While it lives, exceeding the limit on the size of files is an error and not a signal, and the limit is as
/// high as this process may set it.
class FileSizeLimit {
 public:
  FileSizeLimit() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &action_before_);
    getrlimit(RLIMIT_FSIZE, &limit_before_);
    const rlimit raised = {limit_before_.rlim_max, limit_before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &raised);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &limit_before_);
    sigaction(SIGXFSZ, &action_before_, nullptr);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct sigaction action_before_ = {};
  rlimit limit_before_ = {};
};

std::string kibibytes(rlim_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

}  // namespace

int create_shared_memory() {
  const int fd = ::memfd_create("aqueduct", MFD_CLOEXEC);
  if (fd < 0) return fd;
  const FileSizeLimit limit;
  if (::ftruncate(fd, static_cast<off_t>(kSharedMemoryBytes)) == 0) return fd;
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return -1;
}

void store_key(int memory_fd, const net::JobKey& key) {
  const FileSizeLimit limit;
  const std::span bytes = key.bytes();
  if (::pwrite(memory_fd, bytes.data(), bytes.size(), kKeyPlace) != static_cast<ssize_t>(bytes.size()))
    fatal("start", "the job's key cannot be stored: %s", std::strerror(errno));
}

net::JobKey load_key(int memory_fd) {
  return net::JobKey::filled_by([&](std::span<std::uint8_t> bytes) {
    if (::pread(memory_fd, bytes.data(), bytes.size(), kKeyPlace) != static_cast<ssize_t>(bytes.size()))
      fatal("start", "the job's key cannot be read: %s", std::strerror(errno));
  });
}

void* try_map_shared(int memory_fd, std::size_t offset, std::size_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory_fd,
                        static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) return nullptr;
  ::madvise(mapped, bytes, MADV_DONTDUMP);
  return mapped;
}

void* map_shared(int memory_fd, std::size_t offset, std::size_t bytes, const char* what) {
  void* mapped = try_map_shared(memory_fd, offset, bytes);
  if (!mapped) fatal("start", "cannot map %s: %s", what, why_not_mapped(bytes, errno).c_str());
  return mapped;
}

void make_present(void* mapped, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const int error = errno;
  ::madvise(mapped, bytes, MADV_POPULATE_WRITE);
  errno = error;
#else
  (void)mapped, (void)bytes;
#endif
}

std::string why_not_mapped(std::size_t bytes, int error) {
  const std::string needed =
      "no address space for " + std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB: ";
  rlimit limit = {};
  getrlimit(RLIMIT_AS, &limit);
  if (error != ENOMEM || limit.rlim_cur == RLIM_INFINITY) return needed + std::strerror(error);
  return needed + "the limit on it (ulimit -v) is " + kibibytes(limit.rlim_cur) +
         "; raise it, or use fewer ranks";
}

std::string why_not_created(int error) {
  if (error != EFBIG) return std::string("no shared memory: ") + std::strerror(error);
  rlimit limit = {};
  getrlimit(RLIMIT_FSIZE, &limit);
  return "no shared memory: the limit on the size of files (ulimit -f) is " + kibibytes(limit.rlim_max) +
         ", and shared memory is a file; raise it to unlimited";
}

}  // namespace aqueduct::job
