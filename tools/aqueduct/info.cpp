// aqueduct info: what this build can do on this machine, and what it would choose.
#include <fmt/core.h>

#include "arguments.hpp"
#include "base/variables.hpp"
#include "commands.hpp"
#include "info/report.hpp"

namespace {

struct InfoTyped {
  std::string ranks = "2";
  bool json = false;
  bool variables = false;
};

void print_info(const InfoTyped& typed) {
  using namespace aqueduct;
  if (typed.variables) {
    fmt::print("{}", info::variable_tables());
    return;
  }
  const RankId ranks = arguments::rank_count(typed.ranks);
  env::warn_of_unknown_variables();
  const info::Report report = info::make_report(AQUEDUCT_TOOL_VERSION, ranks);
  fmt::print("{}", typed.json ? info::as_json(report) : info::as_text(report));
}

}  // namespace

void add_info_command(CLI::App& app, int& exit_code) {
  CLI::App* info = app.add_subcommand("info", "Show conduits, limits, and what would be chosen here");
  auto typed = std::make_shared<InfoTyped>();
  info->add_option("-n,--ranks", typed->ranks, "Size of the job to choose a conduit for")
      ->type_name("N")
      ->capture_default_str();
  info->add_flag("--json", typed->json, "In a form for programs");
  info->add_flag("--variables", typed->variables, "Show the variables of the environment instead");
  info->callback([typed, &exit_code] {
    print_info(*typed);
    exit_code = 0;
  });
}
