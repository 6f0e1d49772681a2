// aqueduct figures: the papers' figures from simulation, as data and as a page, held to what the papers
// state.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/variables.hpp"
#include "commands.hpp"
#include "figures/credits.hpp"
#include "figures/json_text.hpp"
#include "figures/page.hpp"
#include "figures/portals.hpp"
#include "figures/redstorm.hpp"
#include "networks.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "portals/simulated.hpp"
#include "progress.hpp"

namespace aqueduct::figures {
namespace {

struct Typed {
  std::string directory;
  std::string network;
  std::vector<std::string> overrides;
  bool check = false;
};

int refuse(const std::string& complaint) {
  fmt::print(stderr, "aqueduct figures: {}\n", complaint);
  return 2;
}

Page page_of(const Study& study, const Found& found, const sim::NetworkModel& model) {
  Page page{.title = study.title,
            .introduction = study.introduction,
            .criteria = found.criteria,
            .figures = found.figures,
            .parameters_title = fmt::format("The network: {}", model.name),
            .parameters = {},
            .footer = fmt::format("Made by: aqueduct figures {}", study.name)};
  for (const sim::Number& number : model.numbers()) {
    page.parameters.push_back({.name = number.name,
                               .value = networks::value_text(number),
                               .mark = networks::mark_text(number),
                               .source = number.according_to});
  }
  return page;
}

int write_all(const std::filesystem::path& directory, const Study& study, const Found& found,
              const sim::NetworkModel& model) {
  std::string written;
  const auto store = [&](const std::string& name, const std::string& text) {
    if (const auto complaint = output_file::write((directory / name).string(), text)) {
      refuse("--out: " + *complaint);
      return false;
    }
    written += (written.empty() ? "" : ", ") + name;
    return true;
  };
  for (const Figure& figure : found.figures) {
    if (!store(figure.id + ".json", json_text(figure))) return 2;
  }
  if (!store("criteria.json", json_text(found.criteria))) return 2;
  if (!store(fmt::format("{}.html", study.name), html(page_of(study, found, model)))) return 2;
  fmt::print("{}: {}\n", directory.string(), written);
  return 0;
}

int run(const Study& study, const Typed& typed) {
  if (typed.directory.empty() && !typed.check) {
    return refuse(fmt::format("{}: say --out DIR, --check, or both", study.name));
  }
  std::string error;
  const auto model = networks::load(typed.network, typed.overrides, &error);
  if (!model) return refuse(error);
  if (!bench::portals::carries_portals(*model)) {
    return refuse(fmt::format("{} does not say what Portals costs there", model->name));
  }
  if (!typed.directory.empty()) {
    if (const auto complaint = output_file::try_directory(typed.directory))
      return refuse("--out: " + *complaint);
  }
  env::warn_of_unknown_variables();
  Found found;
  try {
    Progress progress(fmt::format("aqueduct figures {}", study.name));
    progress.stage("measuring");
    found = study.measure(*model);
  } catch (const bench::portals::Failed& failed) {
    fmt::print(stderr, "aqueduct figures: {}\n", failed.what());
    return 1;
  }
  if (!typed.directory.empty()) {
    if (const int code = write_all(typed.directory, study, found, *model)) return code;
  }
  if (!typed.check) return 0;
  for (const Criterion& criterion : found.criteria) fmt::print("{}\n", line_of(criterion));
  return std::ranges::all_of(found.criteria, &Criterion::passed) ? 0 : 1;
}

struct CreditsTyped {
  std::string network = "seastar-xt4";
  std::vector<std::string> overrides;
  CreditRun run;
  bool check = false;
};

CreditComparison compare(const sim::NetworkModel& model, const CreditRun& run) {
  Progress progress("aqueduct figures credits");
  return compare_credits(model, run, [&](const std::string& stage) { progress.stage(stage); });
}

int run_credits(const CreditsTyped& typed) {
  std::string error;
  const auto model = networks::load(typed.network, typed.overrides, &error);
  if (!model) return refuse(error);
  if (!bench::portals::carries_portals(*model)) {
    return refuse(fmt::format("{} does not say what Portals costs there", model->name));
  }
  env::warn_of_unknown_variables();
  const CreditComparison found = compare(*model, typed.run);
  if (!found.failure.empty()) {
    fmt::print(stderr, "aqueduct figures: {}\n", found.failure);
    return 1;
  }
  fmt::print("{}, {} nodes, nearest neighbours\n{}", model->name, typed.run.nodes, found.table);
  // What dynamic credits save grows with the number of peers: on a smaller machine the values are no
  // judgement.
  const bool is_stated = typed.run.nodes == kStatedNodes;
  for (const Criterion& criterion : found.criteria) {
    fmt::print("{}\n", is_stated || typed.check ? line_of(criterion) : line_without_judgement(criterion));
  }
  if (!is_stated) {
    fmt::print("The criteria are stated for {} nodes{}.\n", kStatedNodes,
               typed.check ? fmt::format("; --check holds {} to them all the same", typed.run.nodes)
                           : fmt::format(" and do not apply to {}", typed.run.nodes));
  }
  return !typed.check || std::ranges::all_of(found.criteria, &Criterion::passed) ? 0 : 1;
}

void add_credits(CLI::App& figures, int& exit_code) {
  CLI::App* credits = figures.add_subcommand("credits", "Dynamic credits against generous static ones");
  auto typed = std::make_shared<CreditsTyped>();
  options::add_number(*credits, "--nodes", typed->run.nodes, 8, 16384, "Nodes of the machine, 8 to 16384")
      ->default_str(std::to_string(kStatedNodes));
  options::add_number(*credits, "--rounds", typed->run.rounds, 1, UINT32_MAX,
                      "How often all exchange faces, if not eight times");
  options::add_number(*credits, "--seed", typed->run.seed, 0, UINT64_MAX, "How long each computes in between")
      ->default_str("1");
  credits->add_flag("--check", typed->check, "Exit 1 if a criterion is not met");
  credits->add_option("--network", typed->network, "Another network than seastar-xt4")->type_name("NETWORK");
  credits->add_option("--set", typed->overrides, "Change a number of it")->type_name("NAME=VALUE");
  credits->callback([typed, &exit_code] { exit_code = run_credits(*typed); });
}

void add_study(CLI::App& figures, const Study& study, int& exit_code) {
  CLI::App* const command = figures.add_subcommand(study.name, study.summary);
  auto typed = std::make_shared<Typed>();
  typed->network = study.network;
  command->add_option("--out", typed->directory, "Write the data and a page here")->type_name("DIR");
  command->add_flag("--check", typed->check,
                    "Say for each value that the paper states whether ours is near enough; exit 1 if not");
  command->add_option("--network", typed->network, "Another network than the paper's")
      ->type_name("NETWORK")
      ->capture_default_str();
  command->add_option("--set", typed->overrides, "Change a number of it, such as costs.interrupt_exit=3us")
      ->type_name("NAME=VALUE");
  command->callback([study, typed, &exit_code] { exit_code = run(study, *typed); });
}

}  // namespace
}  // namespace aqueduct::figures

void add_figures_command(CLI::App& app, int& exit_code) {
  using namespace aqueduct::figures;
  CLI::App* figures = app.add_subcommand("figures", "The papers' figures, from simulation");
  for (const Study& study : {red_storm(), portals()}) add_study(*figures, study, exit_code);
  add_credits(*figures, exit_code);
  figures->callback([figures] {
    if (!figures->get_subcommands().empty()) return;
    std::string known;
    for (const CLI::App* study : figures->get_subcommands({})) known += " " + study->get_name();
    throw CLI::ValidationError("which figures? There are" + known);
  });
}
