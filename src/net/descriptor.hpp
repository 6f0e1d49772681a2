// A file descriptor that closes itself.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace aqueduct::net {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Another descriptor of the same; invalid with errno if there is none.
  Descriptor copy() const { return Descriptor(::fcntl(fd_, F_DUPFD_CLOEXEC, 0)); }
  int release() { return std::exchange(fd_, -1); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace aqueduct::net
