#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

namespace aqueduct {
namespace {

using ChildClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kLookMs = 200;

[[noreturn]] void become(const ChildRun& run, int output, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  for (const auto& [name, value] : run.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : run.words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(run.drops_errors ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : output, STDERR_FILENO);
  ::execvp(arguments[0], arguments.data());
  std::perror(arguments[0]);
  ::_exit(127);
}

}  // namespace

Child::Child(const ChildRun& run) : run_(run) {
  std::array<int, 2> pipe_ends = {-1, -1};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    ended_ = {.code = 1, .said = "no pipe can be made"};
    return;
  }
  std::fflush(stdout);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(run_, pipe_ends[1], parent);
  ::close(pipe_ends[1]);
  output_ = pipe_ends[0];
  if (pid_ < 0) ended_ = {.code = 1, .said = "no process can be made"};
}

Child::~Child() {
  if (pid_ > 0) end();
  if (output_ >= 0) ::close(output_);
}

bool Child::read_some(int longest_ms) {
  pollfd look{output_, POLLIN, 0};
  if (::poll(&look, 1, longest_ms) <= 0) return true;
  std::array<char, 4096> bytes;
  const ssize_t got = ::read(output_, bytes.data(), bytes.size());
  if (got > 0) ended_.said.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0;
}

/// Sends a signal that lets the child end its own children; then kills it if it still runs.
void Child::end() {
  ::kill(pid_, SIGTERM);
  const auto patience = ChildClock::now() + 3s;
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (ChildClock::now() > patience) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(10ms);
  }
  pid_ = -1;
}

Ended Child::finish() {
  if (pid_ < 0) return ended_;
  const auto start = ChildClock::now();
  const auto left_s = [&] {
    const std::chrono::duration<double> spent = ChildClock::now() - start;
    return run_.timeout_s ? *run_.timeout_s - spent.count() : 1e9;
  };
  while (read_some(std::clamp(static_cast<int>(std::min(left_s(), 1.0) * 1000), 1, kLookMs))) {
    if (run_.meanwhile) run_.meanwhile();
    if (left_s() > 0) continue;
    end();
    ended_.timed_out = true;
    ended_.code = 1;
    return ended_;
  }
  int status = 1;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  ended_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return ended_;
}

Ended run_to_end(const ChildRun& run) { return Child(run).finish(); }

std::string reason_in(const std::string& said) {
  for (std::size_t begin = 0; begin < said.size();) {
    const std::size_t end = std::min(said.find('\n', begin), said.size());
    std::string line = said.substr(begin, end - begin);
    for (const char* const mark : {"aqueduct:", "aqueduct bench:", "***"}) {
      if (line.find(mark) != line.npos) return line;
    }
    begin = end + 1;
  }
  return said.substr(0, said.find('\n'));
}

bool is_in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && ::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

InheritedFile::InheritedFile(const std::string& text) : fd_(::memfd_create("aqueduct", 0)) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(fd_, text.data() + at, text.size() - at);
    if (written <= 0) break;
    at += static_cast<std::size_t>(written);
  }
}

InheritedFile::~InheritedFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string InheritedFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

std::string InheritedFile::text() const {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t got = 0; (got = ::pread(fd_, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace aqueduct
