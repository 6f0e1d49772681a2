#include "side_by_side.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>

#include "child.hpp"
#include "sim/engine/engine.hpp"

namespace aqueduct {
namespace {

/// The first byte of what a fork writes: whether the rest is an answer or says why there is none.
constexpr char kAnswer = '+', kReason = '-';
constexpr std::size_t kMostSaid = 64 << 10;  // what a fork has said on stderr beyond that is not read

struct Running {
  std::size_t piece = 0;
  pid_t pid = -1;
  int answer = -1;  // the end of the pipe from which it is read
  int said = -1;    // memory that is the fork's stderr
  std::string text{};
};

void write_whole(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(fd, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

[[noreturn]] void be_fork(const std::function<std::string(std::size_t)>& work, const Running& me, int answer,
                          pid_t parent, unsigned limit_s) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (limit_s != 0) {
    const rlimit processor{limit_s, limit_s + 1};
    ::setrlimit(RLIMIT_CPU, &processor);
  }
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  ::dup2(me.said, STDERR_FILENO);
  sim::Engine::set_observer(nullptr);  // the parent shows progress
  std::string text;
  try {
    text = kAnswer + work(me.piece);
  } catch (const std::exception& failure) {
    text = kReason + std::string(failure.what());
  }
  write_whole(answer, text);
  ::_exit(0);
}

std::string read_said(int fd) {
  std::string text(kMostSaid, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// Waits for the end of a fork whose pipe is closed.
Answer answer_of(const Running& ended, unsigned limit_s) {
  int status = 0;
  ::waitpid(ended.pid, &status, 0);
  const std::string said = read_said(ended.said);
  ::close(ended.answer);
  ::close(ended.said);
  if (!ended.text.empty() && ended.text.front() == kAnswer)
    return {.is_there = true, .text = ended.text.substr(1), .why = {}};
  if (!ended.text.empty()) return {.is_there = false, .text = {}, .why = reason_in(ended.text.substr(1))};
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return {
        .is_there = false, .text = {}, .why = fmt::format("not over after {} s of processor time", limit_s)};
  if (!said.empty()) return {.is_there = false, .text = {}, .why = reason_in(said)};
  return {.is_there = false,
          .text = {},
          .why = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                     : fmt::format("ended with code {}", WEXITSTATUS(status))};
}

/// Reads what is there; false at the end.
bool read_some(Running& running) {
  std::array<char, 4096> bytes;
  const ssize_t got = ::read(running.answer, bytes.data(), bytes.size());
  if (got > 0) running.text.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

std::vector<Answer> run_side_by_side(std::size_t pieces,
                                     const std::function<std::string(std::size_t piece)>& work,
                                     const SideBySide& manner) {
  const unsigned at_once =
      manner.at_once != 0 ? manner.at_once : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Answer> answers(pieces);
  std::vector<Running> running;
  std::size_t begun = 0, over = 0;
  std::size_t wanted = pieces;
  const auto begin = [&] {
    Running next{.piece = begun++};
    std::array<int, 2> ends = {-1, -1};
    next.said = ::memfd_create("aqueduct", MFD_CLOEXEC);
    if (next.said < 0 || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
      answers[next.piece].why = "no pipe can be made";
      ++over;
      return;
    }
    std::fflush(stdout);
    std::fflush(stderr);
    const pid_t parent = ::getpid();
    next.pid = ::fork();
    if (next.pid == 0) be_fork(work, next, ends[1], parent, manner.processor_limit_s);
    ::close(ends[1]);
    next.answer = ends[0];
    if (next.pid < 0) {
      answers[next.piece].why = "no process can be made";
      ++over;
      return;
    }
    running.push_back(std::move(next));
  };
  while (over < wanted) {
    while (begun < wanted && running.size() < at_once) begin();
    std::vector<pollfd> looks;
    for (const Running& one : running) looks.push_back({one.answer, POLLIN, 0});
    if (looks.empty() || ::poll(looks.data(), looks.size(), -1) <= 0) continue;
    for (std::size_t i = looks.size(); i-- > 0;) {
      if (looks[i].revents == 0 || read_some(running[i])) continue;
      const std::size_t running_piece = running[i].piece;
      answers[running_piece] = answer_of(running[i], manner.processor_limit_s);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      ++over;
      if (manner.is_enough && manner.is_enough(answers[running_piece])) wanted = begun;
      if (manner.advance) manner.advance(static_cast<double>(over) / static_cast<double>(pieces));
    }
  }
  return answers;
}

}  // namespace aqueduct
