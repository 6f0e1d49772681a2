// An agent as its launcher sees it: the remote shell, the connection to the agent, and the reason if there is
// none.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hosts/agent_messages.hpp"
#include "hosts/remote_shell.hpp"

namespace aqueduct::job {

/// How agents are started.
struct AgentSource {
  std::vector<std::string> remote_shell;  ///< its words, which the host and a command follow
  std::string agent_path;                 ///< on the other hosts
  std::string version;                    ///< of this library, which agents must have as well
};

class AgentProcess {
 public:
  /// `is_here`: the agent runs on this machine, without a remote shell.
  AgentProcess(const AgentSource& source, const std::string& host, bool is_here)
      : source_(source), host_(host), is_here_(is_here) {}

  /// Starts the shell and watches its descriptors; the object must not move. Calls `hear` when the agent has
  /// sent something, and reads the shell's errors by itself. False with errno if no process can be started.
  bool start(net::EventSet& events, std::function<void()> hear, const SupervisorSignals& signals,
             const DescriptorLimit& limit);
  bool is_started() const { return link_ != nullptr; }
  agent::Link& link() { return *link_; }
  const agent::Link& link() const { return *link_; }
  pid_t pid() const { return shell_.pid; }

  /// Reads what the shell has written to its errors by now.
  void read_complaints();
  /// The last of these errors, in one line.
  std::string complaints() const;

  /// The shell has ended, with this wait status.
  void ended(int status) { status_ = status; }
  bool has_ended() const { return shell_.pid < 0 || status_; }
  /// Ends a shell that is of no use any more.
  void stop();

  /// After has_ended() without a greeting: one line, with the shell's own words and what to try.
  std::string why_no_agent() const;
  /// If `hello`, or the bytes in place of a message, is the greeting of another version: one line that names
  /// both.
  std::string why_not_with(const agent::Hello& hello) const;
  std::string why_garbled() const;
  /// Advice for the user.
  std::string advice() const;

 private:
  const AgentSource& source_;
  const std::string& host_;
  bool is_here_;
  ShellProcess shell_;
  std::optional<int> status_;
  std::string complaints_;
  std::unique_ptr<agent::Link> link_;
};

}  // namespace aqueduct::job
