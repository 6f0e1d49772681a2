// Jobs on several hosts of which this machine plays all: fake_rsh.sh is their remote shell.
#pragma once
#include "job/process.hpp"

namespace launch_test {

using job_test::Command;
using job_test::Outcome;
using job_test::Process;

/// `aqueduct run --hosts HOSTS --rsh fake_rsh.sh OPTIONS... COMMAND...`
inline Command on_hosts(const std::string& hosts, std::vector<std::string> options,
                        const std::vector<std::string>& command) {
  Command all;
  all.arguments = {AQUEDUCT_TOOL, "run", "--hosts", hosts, "--rsh", FAKE_RSH};
  all.arguments.insert(all.arguments.end(), options.begin(), options.end());
  all.arguments.insert(all.arguments.end(), command.begin(), command.end());
  return all;
}

/// Every rank runs this in a shell.
inline Command shell_on_hosts(const std::string& hosts, int ranks, const std::string& script,
                              std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"-n", std::to_string(ranks)});
  return on_hosts(hosts, std::move(options), {"sh", "-c", script});
}

std::vector<std::string> sorted_lines(const std::string& text);

/// The number behind `label` in the text: "agent 4711".
inline pid_t number_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label + " ");
  return at == std::string::npos ? -1 : std::atoi(text.c_str() + at + label.size() + 1);
}

}  // namespace launch_test
