#include "output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace aqueduct::output_file {
namespace {

std::string complaint(const std::string& path, int error) {
  return "cannot write " + path + ": " + std::strerror(error);
}

}  // namespace

std::optional<std::string> try_file(const std::string& path) {
  // ENXIO: nobody reads the pipe yet, but somebody may when the work is done.
  const int there = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
  if (there >= 0) {
    ::close(there);
    return {};
  }
  if (errno == ENXIO) return {};
  if (errno != ENOENT) return complaint(path, errno);
  const int fresh = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fresh < 0) return complaint(path, errno);
  ::close(fresh);
  ::unlink(path.c_str());
  return {};
}

std::optional<std::string> try_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return complaint(path, error.value());
  return try_file((std::filesystem::path(path) / ("aqueduct-" + std::to_string(::getpid()))).string());
}

std::optional<std::string> write(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return complaint(path, errno);
  int error = 0;
  for (std::size_t at = 0; at < text.size() && error == 0;) {
    const ssize_t written = ::write(fd, text.data() + at, text.size() - at);
    if (written >= 0) {
      at += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  // A network file system reports a full disk only at close.
  if (::close(fd) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error != 0) return complaint(path, error);
  return {};
}

}  // namespace aqueduct::output_file
