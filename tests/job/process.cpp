#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace job_test {
namespace {

using std::chrono::steady_clock;
constexpr Seconds kTimeout{45};

struct Ends {
  int read = -1;
  int write = -1;
};

Ends open_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  return {ends[0], ends[1]};
}

[[noreturn]] void run_program(const Command& command) {
  for (const auto& [name, value] : command.environment) {
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(99);
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

Process::Process(const Command& command) : since_(steady_clock::now()) {
  if (command.on_terminal) {
    pid_ = forkpty(&output_, nullptr, nullptr, nullptr);
    if (pid_ == 0) run_program(command);
    input_ = dup(output_);
    return;
  }
  const Ends input = open_pipe();
  const Ends output = open_pipe();
  const Ends errors = open_pipe();
  pid_ = fork();
  if (pid_ == 0) {
    dup2(input.read, STDIN_FILENO);
    dup2(output.write, STDOUT_FILENO);
    dup2(errors.write, STDERR_FILENO);
    run_program(command);
  }
  for (const int fd : {input.read, output.write, errors.write}) ::close(fd);
  input_ = input.write;
  output_ = output.read;
  errors_ = errors.read;
  write(command.input);
  close_fd(input_);
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_fd(input_);
  close_fd(output_);
  close_fd(errors_);
}

void Process::write(const std::string& text) {
  if (!text.empty() && ::write(input_, text.data(), text.size()) < 0) std::abort();
}

bool Process::read_some(Seconds timeout) {
  pollfd ends[2] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}};  // poll ignores those that are closed
  const auto timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  if (poll(ends, 2, static_cast<int>(std::max<std::int64_t>(0, timeout_ms.count()))) <= 0) return false;
  char buffer[65536];
  if (ends[0].revents != 0) {
    const ssize_t length = read(output_, buffer, sizeof buffer);
    if (length <= 0) close_fd(output_);
    if (length > 0) output_text_.append(buffer, static_cast<std::size_t>(length));
  }
  if (ends[1].revents != 0) {
    const ssize_t length = read(errors_, buffer, sizeof buffer);
    if (length <= 0) close_fd(errors_);
    if (length > 0) errors_text_.append(buffer, static_cast<std::size_t>(length));
  }
  return true;
}

bool Process::wait_for(const std::string& text, int count) {
  return wait_until_holds(output_text_, output_, text, count);
}

bool Process::wait_for_error(const std::string& text, int count) {
  return wait_until_holds(errors_text_, errors_, text, count);
}

bool Process::wait_until_holds(const std::string& all, const int& fd, const std::string& text, int count) {
  const auto deadline = steady_clock::now() + kTimeout;
  for (;;) {
    int found = 0;
    for (std::size_t at = 0; (at = all.find(text, at)) != std::string::npos; at += text.size()) ++found;
    if (found >= count) return true;
    const Seconds left = deadline - steady_clock::now();
    if (left <= Seconds(0) || fd < 0 || !read_some(left)) return false;
  }
}

void Process::signal(int number) {
  since_ = steady_clock::now();
  kill(pid_, number);
}

void Process::close_output() { close_fd(output_); }

Outcome Process::finish() {
  const auto deadline = steady_clock::now() + kTimeout;
  int status = 0;
  Outcome outcome;
  while (output_ >= 0 || errors_ >= 0) {
    if (!read_some(deadline - steady_clock::now())) break;
  }
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (steady_clock::now() > deadline) {
      outcome.errors = "(the test gave up waiting) ";
      kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(Seconds(0.001));
  }
  pid_ = -1;
  outcome.took = steady_clock::now() - since_;
  outcome.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.output = output_text_;
  outcome.errors += errors_text_;
  return outcome;
}

Outcome run(const Command& command) { return Process(command).finish(); }

Command job(int ranks, std::vector<std::string> command, std::vector<std::string> options) {
  std::vector<std::string> arguments = {AQUEDUCT_TOOL, "run", "-n", std::to_string(ranks)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), command.begin(), command.end());
  return {arguments};
}

Command rank_job(int ranks, std::vector<std::string> arguments, std::vector<std::string> options) {
  arguments.insert(arguments.begin(), RANK_PROGRAM);
  return job(ranks, std::move(arguments), std::move(options));
}

Command rank_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RANK_PROGRAM);
  return {std::move(arguments)};
}

std::string unique_mark() {
  // A number, so that it can also be a time to sleep.
  static int count = 0;
  return std::to_string(9'000'000 + getpid()) + "." + std::to_string(1000 + ++count);
}

std::vector<pid_t> processes_with(const std::string& mark) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().find(mark) != std::string::npos) found.push_back(std::atoi(name.c_str()));
  }
  return found;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  const std::string own = std::to_string(process);
  std::ifstream file("/proc/" + own + "/task/" + own + "/children");
  for (pid_t child; file >> child;) children.push_back(child);
  return children;
}

bool all_gone(const std::string& mark, Seconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  while (!processes_with(mark).empty()) {
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(Seconds(0.01));
  }
  return true;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace job_test
