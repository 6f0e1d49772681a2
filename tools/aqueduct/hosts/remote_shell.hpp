// Starts an agent on another host: `RSH HOST COMMAND`, with pipes to its standard input, output and errors.
//
// The remote shell is in a session of its own, so that Ctrl-C at the terminal does not end it before the
// agent has been told, and so that it cannot ask for a password at the terminal.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/supervision/descriptor_limit.hpp"
#include "job/supervision/signals.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job {

/// The default remote shell, which neither asks nor waits for long.
inline constexpr std::string_view kDefaultRemoteShell = "ssh -x -T -o BatchMode=yes -o ConnectTimeout=10";

/// Splits a command into words as a shell does, without expansions: blanks separate, and '...', "..." and the
/// backslash quote. Nothing if a quote is not closed or there is no word.
std::optional<std::vector<std::string>> words_of(std::string_view command);

/// A word for a shell, quoted if needed.
std::string quoted_for_shell(const std::string& word);

/// The arguments with which an agent is started on `host`.
std::vector<std::string> agent_command(const std::vector<std::string>& remote_shell, const std::string& host,
                                       const std::string& agent_path);

/// The path of this program, which is the default path of the agent on all hosts.
std::string own_path();

struct ShellProcess {
  pid_t pid = -1;
  net::Descriptor input;   ///< this process writes, the shell reads
  net::Descriptor output;  ///< the shell's output
  net::Descriptor errors;  ///< the shell's errors; does not block
};
/// Without a pid, and with errno, if it cannot start. A command that cannot run says so in its errors.
ShellProcess start_shell(const std::vector<std::string>& command, const SupervisorSignals& signals,
                         const DescriptorLimit& limit);

}  // namespace aqueduct::job
