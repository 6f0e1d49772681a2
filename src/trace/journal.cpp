#include "trace/journal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/fatal.hpp"

namespace aqueduct::trace {
namespace {

std::string expand(const char* name, std::uint32_t rank) {
  std::string path;
  for (; *name != '\0'; ++name) {
    if (*name == '%') {
      path += std::to_string(rank);
    } else {
      path += *name;
    }
  }
  return path;
}

/// Whether the system has refused; a place that cannot be forced to a disk (a pipe, a device) is not meant.
bool sync_fails(int fd) { return ::fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != EINTR; }

}  // namespace

void Journal::open(const char* variable, const char* name, std::uint32_t rank, bool every_line) {
  if (buffer_ == nullptr) buffer_ = new char[kBufferBytes];  // for the life of the process
  every_line_ = every_line;
  to_disk_ = every_line;
  variable_ = variable;
  const std::string path = expand(name, rank);
  path_ = ::strdup(path.c_str());
  if (std::strcmp(name, "stdout") == 0 || std::strcmp(name, "stderr") == 0 || std::strcmp(name, "-") == 0) {
    fd_ = std::strcmp(name, "stdout") == 0 ? STDOUT_FILENO : STDERR_FILENO;
    every_line_ = true;
    to_disk_ = false;
    return;
  }
  const bool is_own = std::strchr(name, '%') != nullptr;
  const int empty_it = is_own || rank == 0 ? O_TRUNC : 0;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | empty_it, 0666);
  if (fd_ < 0) fatal("environment", "%s='%s': cannot open '%s': %m", variable, name, path.c_str());
}

void Journal::write(const char* line, std::size_t length) {
  int error = 0;
  lock_.lock();
  if (length > kBufferBytes - 1) length = kBufferBytes - 1;
  if (used_ + length + 1 > kBufferBytes) error = write_out();
  std::memcpy(buffer_ + used_, line, length);
  used_ += length;
  buffer_[used_++] = '\n';
  if (every_line_ && error == 0) {
    error = write_out();
    if (error == 0 && to_disk_ && sync_fails(fd_)) error = errno;
  }
  lock_.unlock();
  if (error != 0) fail(error);
}

void Journal::flush() {
  if (!is_open()) return;
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (lock_.try_lock()) {
      const int error = write_out();
      lock_.unlock();
      if (error != 0) fail(error);
      return;
    }
    ::usleep(1000);
  }
}

int Journal::write_out() {
  const char* rest = buffer_;
  int error = 0;
  while (used_ > 0 && error == 0) {
    const ssize_t written = ::write(fd_, rest, used_);
    if (written >= 0) {
      rest += written;
      used_ -= static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      pollfd writable = {fd_, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  used_ = 0;
  return error;
}

void Journal::fail(int error) {
  errno = error;
  fatal("environment", "%s: cannot write to '%s': %m; what was to be written is lost", variable_, path_);
}

}  // namespace aqueduct::trace
