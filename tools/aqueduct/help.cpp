// aqueduct help [COMMAND], and the command behind completion: both describe the other commands.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "completion.hpp"
#include "tools/common/guess.hpp"

bool is_asked_for_help(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

std::string guess_option(const CLI::App& app, const std::string& typed) {
  return aqueduct::guess(typed.substr(0, typed.find('=')), aqueduct::completion::option_names(app));
}

void add_help_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(kHelpCommand, "Show the help of a command: help [COMMAND]");
  command->formatter(std::make_shared<UsageFormatter>("[COMMAND...]"));
  command->footer("The same as `aqueduct COMMAND --help`. `man aqueduct-COMMAND` says more.");
  static std::vector<std::string> words;
  CLI::Option* const name =
      command->add_option("COMMAND", words, "The command, with the one below it: figures aries")
          ->type_name("");
  aqueduct::completion::offer(name, [&app] {
    std::vector<aqueduct::completion::Candidate> candidates;
    for (const CLI::App* each : aqueduct::completion::commands_of(app))
      candidates.push_back({each->get_name(), each->get_description()});
    return candidates;
  });
}

void add_complete_command(CLI::App& app, int& exit_code, const std::vector<std::string>& after_dashes) {
  CLI::App* command = app.add_subcommand(
      kCompleteCommand, "What may follow on a command line; shells ask it: complete -- WORDS...");
  command->group("");
  command->callback([&app, &exit_code, &after_dashes] {
    if (after_dashes.empty())
      throw CLI::ValidationError("the words of the command line are missing: -- WORDS...");
    fmt::print("{}", aqueduct::completion::complete(app, {after_dashes.begin() + 1, after_dashes.end()}));
    exit_code = 0;
  });
}
