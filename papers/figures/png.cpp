#include "png.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include "tools/common/child.hpp"

extern char** environ;

namespace aqueduct::figures {
namespace {

constexpr const char* kProgram = "rsvg-convert";

}  // namespace

bool can_write_png() { return is_in_path(kProgram); }

bool write_png(const std::string& svg, const std::string& png) {
  std::string words[] = {kProgram, "--zoom=2", "--output=" + png, svg};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, kProgram, nullptr, nullptr, arguments, environ) != 0) return false;
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace aqueduct::figures
