#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace aqueduct::test {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  auto lines = lines_of(text);
  std::erase_if(lines, [&](const std::string& line) { return line.find(part) == std::string::npos; });
  return lines;
}

Process::Process(std::vector<std::string> command, std::vector<std::string> environment)
    : started_(Clock::now()) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process");
  if (pid_ == 0) {
    for (auto& setting : environment) putenv(setting.data());
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    perror(arguments[0]);
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (out_fd_ >= 0) close(out_fd_);
  if (err_fd_ >= 0) close(err_fd_);
}

bool Process::read_some(Clock::time_point until) {
  if (out_fd_ < 0 && err_fd_ < 0) return false;
  std::array<pollfd, 2> streams{{{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}}};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  if (left <= 0 || poll(streams.data(), streams.size(), static_cast<int>(left)) <= 0) return false;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].revents == 0) continue;
    int& fd = i == 0 ? out_fd_ : err_fd_;
    std::string& text = i == 0 ? outcome_.out : outcome_.err;
    std::array<char, 4096> buffer;
    const ssize_t bytes = read(fd, buffer.data(), buffer.size());
    if (bytes > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(bytes));
    } else {
      close(fd);
      fd = -1;
    }
  }
  return true;
}

std::vector<std::string> Process::wait_for_lines(const std::string& part, std::size_t count, double seconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(static_cast<int>(seconds * 1000));
  while (true) {
    auto found = lines_with(outcome_.all(), part);
    if (found.size() >= count || !read_some(until)) return found;
  }
}

Outcome Process::finish(double seconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(static_cast<int>(seconds * 1000));
  while (read_some(until)) {
  }
  outcome_.timed_out = out_fd_ >= 0 || err_fd_ >= 0;
  if (outcome_.timed_out) kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome_.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  return outcome_;
}

Outcome run(std::vector<std::string> command, std::vector<std::string> environment, double seconds) {
  return Process(std::move(command), std::move(environment)).finish(seconds);
}

}  // namespace aqueduct::test
