#include "printed.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace aqueduct::printed {

void flush() {
  if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
}

int finish(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return failed(errno != 0 ? errno : EIO, code);
}

int failed(int error, int code) {
  if (error == EPIPE) return 128 + SIGPIPE;
  fmt::print(stderr, "aqueduct: cannot write to standard output: {}\n", std::strerror(error));
  return code != 0 ? code : 1;
}

}  // namespace aqueduct::printed
