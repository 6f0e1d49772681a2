// The subcommands of `aqueduct`. Each has a file of its own and adds itself to the command line; if it is the
// one that the user typed, it runs inside the parse and stores the exit code.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "hosts.hpp"

/// `after_dashes` is the first "--" of the command line and what follows it, which the parser does not see.
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
/// These are in bench/.
void add_bench_command(CLI::App& app, int& exit_code);
void add_demo_command(CLI::App& app, int& exit_code);

/// Describes the other commands, which must be added before.
void add_help_command(CLI::App& app);
/// `after_dashes` as for run.
void add_complete_command(CLI::App& app, int& exit_code, const std::vector<std::string>& after_dashes);
inline constexpr const char* kHelpCommand = "help";
inline constexpr const char* kCompleteCommand = "complete";
bool is_asked_for_help(const std::vector<std::string>& arguments);
/// The result of guess() for an option that the command does not have.
std::string guess_option(const CLI::App& app, const std::string& typed);

/// The options of a command that asks hosts; `hosts_text` is the help of --hosts.
void add_asking_options(CLI::App& command, aqueduct::hosts::TypedHosts& typed, const std::string& hosts_text);

/// For the help of a command that passes words on, which the parser does not know.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string words) : words_(std::move(words)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] " + words_ + "\n";
  }

 private:
  std::string words_;
};
