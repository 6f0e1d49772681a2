// aqueduct: run jobs, look at this machine, measure it.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "commands.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

/// The innermost subcommand that was named: its help is the one that helps.
std::string command_in_use(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* sub : app.get_subcommands()) name += " " + command_in_use(*sub);
  return name;
}

bool has_command(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; }).empty();
}

/// The parser's complaints, in words that name the argument.
std::string in_words(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool is_missing = text.find("missing") != std::string::npos;
    return fmt::format("{}: {}", text.substr(0, text.find(':')),
                       is_missing ? "its value is missing" : "it was given more than once");
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return fmt::format("nothing is known of '{}'", fmt::join(app.remaining(true), " "));
  }
  return text;
}

int complain(const CLI::App& app, const std::string& what) {
  fmt::print(stderr, "aqueduct: {}\nTry '{} --help'.\n", what, command_in_use(app));
  return kBadArguments;
}

/// What was printed is not lost silently: a full disk is an error of the command.
int end_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "aqueduct: cannot write to standard output: {}\n", std::strerror(errno));
  return code != 0 ? code : kFailed;
}

int run_command(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool is_run = !arguments.empty() && arguments.front() == "run";
  const auto dashes = is_run ? std::find(arguments.begin(), arguments.end(), "--") : arguments.end();
  const std::vector<std::string> after_dashes(dashes, arguments.end());
  arguments.erase(dashes, arguments.end());

  CLI::App app("One-sided communication for parallel programs", "aqueduct");
  app.set_version_flag("--version", "aqueduct " AQUEDUCT_TOOL_VERSION);
  int exit_code = 0;
  add_run_command(app, exit_code, after_dashes);
  add_agent_command(app, exit_code);
  add_sim_command(app, exit_code);
  add_info_command(app, exit_code);
  add_doctor_command(app, exit_code);
  add_bench_command(app, exit_code);
  add_report_command(app, exit_code);
  add_figures_command(app, exit_code);
  add_trace_command(app, exit_code);
  add_ps_command(app, exit_code);
  add_top_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_demo_command(app, exit_code);
  if (arguments.empty()) return complain(app, "no command was given");
  if (arguments.front().rfind('-', 0) != 0 && !has_command(app, arguments.front())) {
    return complain(app, fmt::format("there is no command '{}'", arguments.front()));
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // the order in which CLI11 takes them
    app.parse(arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return complain(app, in_words(app, error));
  } catch (const std::invalid_argument& error) {
    return complain(app, error.what());
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return end_output(run_command(argc, argv));
  } catch (const std::system_error& error) {  // of printing
    fmt::print(stderr, "aqueduct: cannot write to standard output: {}\n", error.code().message());
    return kFailed;
  }
}
