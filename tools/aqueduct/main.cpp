// aqueduct: run jobs, look at this machine, measure it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/standard_streams.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "tools/common/guess.hpp"
#include "tools/common/printed.hpp"

namespace {

using namespace aqueduct;

constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

/// The innermost subcommand that was named, whose help the user needs.
std::string command_in_use(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* sub : app.get_subcommands()) name += " " + command_in_use(*sub);
  return name;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

/// The innermost subcommand that was named.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  return named.empty() ? app : innermost(*named.back());
}

std::vector<std::string> command_names(const CLI::App& app, const std::string& above = "") {
  std::vector<std::string> names;
  for (const CLI::App* each : completion::commands_of(app)) names.push_back(above + each->get_name());
  return names;
}

/// `above` are the parent commands, each followed by a blank.
std::string about_no_command(const CLI::App& app, const std::string& name, const std::string& above = "") {
  return fmt::format("there is no command '{}{}'{}", above, name,
                     guess(above + name, command_names(app, above)));
}

/// "nothing is known of '--sizs'; did you mean '--sizes'?"
std::string about_extras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  const CLI::App& command = innermost(app);
  std::string meant;
  for (auto word = extras.begin(); word != extras.end() && meant.empty(); ++word)
    meant = word->rfind('-', 0) == 0 ? guess_option(command, *word) : guess(*word, command_names(command));
  return fmt::format("nothing is known of '{}'{}", fmt::join(extras, " "), meant);
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
    return about_extras(app);
  }
  return text;
}

int complain(const CLI::App& app, const std::string& what) {
  fmt::print(stderr, "aqueduct: {}\nTry '{} --help'.\n", what, command_in_use(app));
  return kBadArguments;
}

/// For `help WORDS`: the command line with --help for that command. Nothing, after printing the reason, if
/// there is no such command.
std::optional<std::vector<std::string>> ask_command(const CLI::App& app,
                                                    const std::vector<std::string>& words,
                                                    std::string* wrong) {
  const CLI::App* command = &app;
  std::string above;
  for (const std::string& word : words) {
    const CLI::App* const next = find_command(*command, word);
    if (!next) {
      *wrong = about_no_command(*command, word, above);
      return std::nullopt;
    }
    command = next;
    above += word + " ";
  }
  std::vector<std::string> asked = words;
  asked.emplace_back("--help");
  return asked;
}

int run_command(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool hands_on =
      !arguments.empty() && (arguments.front() == "run" || arguments.front() == kCompleteCommand);
  const auto dashes = hands_on ? std::find(arguments.begin(), arguments.end(), "--") : arguments.end();
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
  add_help_command(app);
  add_complete_command(app, exit_code, after_dashes);
  if (arguments.empty()) return complain(app, "no command was given");
  if (arguments.front().rfind('-', 0) != 0 && !find_command(app, arguments.front()))
    return complain(app, about_no_command(app, arguments.front()));
  if (arguments.front() == kHelpCommand && !is_asked_for_help(arguments)) {
    std::string wrong;
    auto asked = ask_command(app, {arguments.begin() + 1, arguments.end()}, &wrong);
    if (!asked) return complain(app, wrong);
    arguments = std::move(*asked);
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // the order in which CLI11 takes them
    app.parse(arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;             // std::cout would lose the reason of a failed write
    const int code = app.exit(asked, text, text);
    fmt::print("{}", text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return complain(app, in_words(app, error));
  } catch (const std::invalid_argument& error) {
    return complain(app, error.what());
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_descriptors();
  try {
    return printed::finish(run_command(argc, argv));
  } catch (const std::system_error& error) {  // printing has failed
    return printed::failed(error.code().value(), kFailed);
  }
}
