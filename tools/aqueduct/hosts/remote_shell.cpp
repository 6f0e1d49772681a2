#include "hosts/remote_shell.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace aqueduct::job {
namespace {

struct PipeEnds {
  net::Descriptor read;
  net::Descriptor write;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = net::Descriptor(ends[0]);
    write = net::Descriptor(ends[1]);
    return true;
  }
};

constexpr int kCannotRun = 127;

}  // namespace

std::optional<std::vector<std::string>> words_of(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'') {
      if (++i == command.size()) return std::nullopt;
      words.back() += command[i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0 || words.empty()) return std::nullopt;
  return words;
}

std::string quoted_for_shell(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c != '\0' && std::strchr("_-./=:,@%+", c));
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> agent_command(const std::vector<std::string>& remote_shell, const std::string& host,
                                       const std::string& agent_path) {
  std::vector<std::string> command = remote_shell;
  command.push_back(host);
  command.push_back("exec " + quoted_for_shell(agent_path) + " agent");
  return command;
}

std::string own_path() {
  char path[PATH_MAX] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "aqueduct";
}

ShellProcess start_shell(const std::vector<std::string>& command, const SupervisorSignals& signals,
                         const DescriptorLimit& limit) {
  ShellProcess process;
  PipeEnds input, output, errors;
  if (!input.open() || !output.open() || !errors.open()) return process;
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  process.pid = fork();
  if (process.pid < 0) return process;
  if (process.pid == 0) {
    setsid();
    dup2(input.read.get(), STDIN_FILENO);
    dup2(output.write.get(), STDOUT_FILENO);
    dup2(errors.write.get(), STDERR_FILENO);
    limit.restore();
    signals.restore();
    execvp(arguments[0], arguments.data());
    dprintf(STDERR_FILENO, "%s: %s\n", arguments[0], strerror(errno));
    _exit(kCannotRun);
  }
  process.input = std::move(input.write);
  process.output = std::move(output.read);
  process.errors = std::move(errors.read);
  fcntl(process.errors.get(), F_SETFL, O_NONBLOCK);
  return process;
}

}  // namespace aqueduct::job
