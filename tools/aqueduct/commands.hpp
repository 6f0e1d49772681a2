// The subcommands of `aqueduct`. Each lives in a file of its own and adds itself to the command line; when it
// is the one that was asked for, it runs inside the parse and leaves the process's exit code.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "hosts.hpp"

/// `after_dashes` is what follows the first "--" of the command line, with it; the parser does not see it.
void add_run_command(CLI::App& app, int& exit_code, const std::vector<std::string>& after_dashes);
void add_agent_command(CLI::App& app, int& exit_code);
void add_sim_command(CLI::App& app, int& exit_code);
void add_info_command(CLI::App& app, int& exit_code);
void add_figures_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);
void add_trace_command(CLI::App& app, int& exit_code);
void add_ps_command(CLI::App& app, int& exit_code);
void add_top_command(CLI::App& app, int& exit_code);
void add_explain_command(CLI::App& app, int& exit_code);
/// At home in bench/.
void add_bench_command(CLI::App& app, int& exit_code);
void add_demo_command(CLI::App& app, int& exit_code);

/// About the others, which have added themselves before.
void add_help_command(CLI::App& app);
/// `after_dashes` as for run.
void add_complete_command(CLI::App& app, int& exit_code, const std::vector<std::string>& after_dashes);
inline constexpr const char* kHelpCommand = "help";
inline constexpr const char* kCompleteCommand = "complete";
bool is_asked_for_help(const std::vector<std::string>& arguments);
/// For an option that the command does not have: what guess() says.
std::string guess_option(const CLI::App& app, const std::string& typed);

/// The options of a command that asks hosts; `hosts_text` is the help of --hosts.
void add_asking_options(CLI::App& command, aqueduct::hosts::TypedHosts& typed, const std::string& hosts_text);

/// For the help of a command that hands words on to somebody else: the parser does not know of them.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string words) : words_(std::move(words)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] " + words_ + "\n";
  }

 private:
  std::string words_;
};
