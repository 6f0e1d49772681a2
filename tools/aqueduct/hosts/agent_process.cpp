#include "hosts/agent_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>

namespace aqueduct::job {
namespace {

constexpr std::size_t kMostComplaints = 4096;
// The exit code of shells if a command does not exist or may not be run.
constexpr int kNotFound = 127;
constexpr int kNotAllowed = 126;

std::string code_of_shell(int status) {
  if (WIFSIGNALED(status)) return "it was killed by signal " + std::to_string(WTERMSIG(status));
  return "it ended with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

bool AgentProcess::start(net::EventSet& events, std::function<void()> hear, const SupervisorSignals& signals,
                         const DescriptorLimit& limit) {
  const std::vector<std::string> command =
      is_here_ ? std::vector<std::string>{own_path(), "agent"}
               : agent_command(source_.remote_shell, host_, source_.agent_path);
  shell_ = start_shell(command, signals, limit);
  if (shell_.pid < 0) return false;
  events.watch(shell_.errors.get(), EPOLLIN, [this](std::uint32_t) { read_complaints(); });
  link_ = std::make_unique<agent::Link>(std::move(shell_.output), std::move(shell_.input), agent::kPreamble);
  link_->watch(events, std::move(hear));
  return true;
}

void AgentProcess::read_complaints() {
  char buffer[kMostComplaints];
  if (!shell_.errors) return;
  const ssize_t length = ::read(shell_.errors.get(), buffer, sizeof buffer);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) return shell_.errors.close();
  complaints_.append(buffer, static_cast<std::size_t>(length));
  if (complaints_.size() > kMostComplaints) complaints_.erase(0, complaints_.size() - kMostComplaints);
}

std::string AgentProcess::complaints() const {
  std::string line;
  for (const char c : complaints_) {
    const bool is_blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (is_blank && (line.empty() || line.back() == ' ')) continue;
    if (c == '\n' && line.back() != ':' && line.back() != ';') line += ';';
    const bool is_control = std::iscntrl(static_cast<unsigned char>(c)) != 0;
    line += is_blank ? ' ' : is_control ? '?' : c;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == ';' || line.back() == '.')) line.pop_back();
  return line;
}

void AgentProcess::stop() {
  if (link_) link_->close();
  // It leads a session of its own.
  if (!has_ended()) kill(-shell_.pid, SIGTERM);
}

std::string AgentProcess::advice() const {
  return is_here_ ? "is this program still where it was?"
                  : "try: " + source_.remote_shell[0] + " " + host_ + " true";
}

std::string AgentProcess::why_no_agent() const {
  const std::string shell = is_here_ ? "the agent" : "'" + source_.remote_shell[0] + "'";
  const std::string words = complaints();
  const int status = status_.value_or(0);
  const std::string said =
      shell + (words.empty() ? " says nothing, and " : " says '" + words + "', ") + code_of_shell(status);
  const bool is_missing = WIFEXITED(status) &&
                          (WEXITSTATUS(status) == kNotFound || WEXITSTATUS(status) == kNotAllowed) &&
                          words.find(source_.agent_path) != words.npos;
  if (is_missing) {
    return "cannot start on host " + host_ + ": there is no " + source_.agent_path + " that can be run (" +
           said + "); install it there, or say where it is with --agent-path";
  }
  return "cannot start on host " + host_ + ": " + said + "; " + advice();
}

std::string AgentProcess::why_not_with(const agent::Hello& hello) const {
  if (hello.protocol == agent::kProtocol && hello.version == source_.version) return {};
  return "host " + host_ + " has Aqueduct " + hello.version + ", and this is " + source_.version +
         "; install the same on all hosts";
}

std::string AgentProcess::why_garbled() const {
  const std::optional<agent::Version> theirs = agent::version_in(link_->first_bytes());
  if (!theirs || theirs->protocol == agent::kProtocol) return {};
  return why_not_with({theirs->protocol, theirs->version, {}, {}, {}, {}});
}

}  // namespace aqueduct::job
