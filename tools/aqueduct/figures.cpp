// aqueduct figures: the papers' figures from simulation, as data and as a page, held to what the papers
// state.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "commands.hpp"
#include "figures/credits.hpp"
#include "figures/json_text.hpp"
#include "figures/page.hpp"
#include "figures/portals.hpp"
#include "figures/redstorm.hpp"
#include "networks.hpp"
#include "portals/simulated.hpp"

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

Page page_of(const Study& study, const Found& found, const fabric::sim::NetworkModel& model) {
  Page page{.title = study.title,
            .introduction = study.introduction,
            .criteria = found.criteria,
            .figures = found.figures,
            .parameters_title = fmt::format("The network: {}", model.name),
            .parameters = {},
            .footer = fmt::format("Made by: aqueduct figures {}", study.name)};
  for (const fabric::sim::Number& number : model.numbers()) {
    page.parameters.push_back({.name = number.name,
                               .value = networks::value_text(number),
                               .mark = networks::mark_text(number),
                               .source = number.according_to});
  }
  return page;
}

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

int write_all(const std::filesystem::path& directory, const Study& study, const Found& found,
              const fabric::sim::NetworkModel& model) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::string written;
  const auto store = [&](const std::string& name, const std::string& text) {
    if (write_file(directory / name, text)) {
      written += (written.empty() ? "" : ", ") + name;
      return true;
    }
    refuse(fmt::format("--out: cannot write {}", (directory / name).string()));
    return false;
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
  Found found;
  try {
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

int run_credits(const CreditsTyped& typed) {
  std::string error;
  const auto model = networks::load(typed.network, typed.overrides, &error);
  if (!model) return refuse(error);
  if (!bench::portals::carries_portals(*model)) {
    return refuse(fmt::format("{} does not say what Portals costs there", model->name));
  }
  const CreditComparison found = compare_credits(*model, typed.run);
  if (!found.failure.empty()) {
    fmt::print(stderr, "aqueduct figures: {}\n", found.failure);
    return 1;
  }
  fmt::print("{}, {} nodes, nearest neighbours\n{}", model->name, typed.run.nodes, found.table);
  for (const Criterion& criterion : found.criteria) fmt::print("{}\n", line_of(criterion));
  return !typed.check || std::ranges::all_of(found.criteria, &Criterion::passed) ? 0 : 1;
}

void add_credits(CLI::App& figures, int& exit_code) {
  CLI::App* credits = figures.add_subcommand("credits", "Dynamic credits against generous static ones");
  auto typed = std::make_shared<CreditsTyped>();
  credits->add_option("--nodes", typed->run.nodes, "Nodes of the machine")
      ->check(CLI::Range(8u, 16384u))
      ->capture_default_str();
  credits->add_option("--rounds", typed->run.rounds, "How often all exchange faces");
  credits->add_option("--seed", typed->run.seed, "How long each computes in between")->capture_default_str();
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
