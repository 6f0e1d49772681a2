// Starting an agent on another host: `RSH HOST COMMAND`, with pipes to its standard input, output and errors.
//
// The remote shell is in a session of its own: Ctrl-C at our terminal must not end it before the agent has
// been told, and it cannot ask at the terminal for a password.
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

/// What hosts are reached with unless the user says otherwise: it neither asks nor waits for long.
inline constexpr std::string_view kDefaultRemoteShell = "ssh -x -T -o BatchMode=yes -o ConnectTimeout=10";

/// The words of a command as a shell would have them, without its expansions: blanks separate, '...' and
/// "..." and \ quote. Nothing if a quote is not closed or there is no word.
std::optional<std::vector<std::string>> words_of(std::string_view command);

/// A word as a shell takes it, quoted where it must be.
std::string quoted_for_shell(const std::string& word);

/// The arguments with which an agent is started on `host`.
std::vector<std::string> agent_command(const std::vector<std::string>& remote_shell, const std::string& host,
                                       const std::string& agent_path);

/// The path of the program that runs; that of the agent on all hosts unless the user says otherwise.
std::string own_path();

struct ShellProcess {
  pid_t pid = -1;
  net::Descriptor input;   ///< what it reads, for us to write
  net::Descriptor output;  ///< what it writes
  net::Descriptor errors;  ///< and complains; does not block
};
/// Without a pid and with errno if it cannot be started. A command that cannot be run says so in its errors.
ShellProcess start_shell(const std::vector<std::string>& command, const SupervisorSignals& signals,
                         const DescriptorLimit& limit);

}  // namespace aqueduct::job
