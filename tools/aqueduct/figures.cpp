// aqueduct figures: the papers' figures from simulation, as data and as a page, compared with what the papers
// state.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/variables.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "papers/bench/portals/simulated.hpp"
#include "papers/figures/credits.hpp"
#include "papers/figures/falsification.hpp"
#include "papers/figures/hot_spot.hpp"
#include "papers/figures/output.hpp"
#include "papers/figures/sensitivity.hpp"
#include "papers/figures/studies.hpp"
#include "tools/common/networks.hpp"
#include "tools/common/options.hpp"
#include "tools/common/output_file.hpp"
#include "tools/common/progress.hpp"

namespace aqueduct::figures {
namespace {

struct Typed {
  std::string directory;
  std::string network;
  std::vector<std::string> overrides;
  std::vector<std::string> only;
  bool check = false;
  bool sensitivity = false;
  bool falsify = false;

  Chosen chosen() const { return {network, overrides, only}; }
};

int refuse(const std::string& complaint) {
  fmt::print(stderr, "aqueduct figures: {}\n", complaint);
  return 2;
}

/// Whether Portals can run on the network; if not, `*error` says so.
bool can_carry_portals(const sim::NetworkModel& model, std::string* error) {
  if (bench::portals::carries_portals(model)) return true;
  *error = fmt::format("{} does not say what Portals costs there", model.name);
  return false;
}

/// The study's machine, if the study can be made on it; otherwise nothing, and the reason in `*error`.
std::optional<PaperMachine> load(const Study& study, const Chosen& chosen, std::string* error) {
  auto machine = machine_of(study, chosen, {}, {}, error);
  if (machine && study.needs_portals && !can_carry_portals(machine->model, error)) return std::nullopt;
  return machine;
}

/// The exit code, after what was printed or written.
int finish(const Output& output) {
  if (!output.complaint().empty()) {
    fmt::print(stderr, "aqueduct figures: --out: {}\n", output.complaint());
    return 1;
  }
  fmt::print("{}", output.summary());
  return 0;
}

bool fails(const std::vector<Criterion>& criteria) {
  return std::ranges::any_of(criteria, &Criterion::fails);
}

int run_sensitivity(const Study& study, const Typed& typed) {
  std::string error;
  Sensitivity found;
  {
    Progress progress(fmt::format("aqueduct figures {}", study.name));
    progress.stage("each number halved and doubled");
    found = find_sensitivity(study, typed.chosen(), Progress::report, &error);
  }
  if (!error.empty()) return refuse(error);
  fmt::print("{}", sensitivity_text(found));
  if (typed.directory.empty()) return 0;
  Output output(typed.directory);
  output.store("sensitivity.json", sensitivity_json(found));
  output.store_drawing("sensitivity", sensitivity_svg(fmt::format("{}: what moves what", study.name), found));
  return finish(output);
}

/// Returns what was found, after printing it; nothing if what was chosen is wrong.
std::optional<Falsification> run_falsification(const Study& study, const Typed& typed, int* code) {
  std::string error;
  Falsification found;
  {
    Progress progress(fmt::format("aqueduct figures {}", study.name));
    progress.stage("on wrong machines");
    found = falsify(study, typed.chosen(), Progress::report, &error);
  }
  if (!error.empty()) {
    *code = refuse(error);
    return std::nullopt;
  }
  fmt::print("{}", falsification_text(found));
  return found;
}

int run_study(const Study& study, const Typed& typed, const Falsification* falsification) {
  std::string error;
  const auto machine = load(study, typed.chosen(), &error);
  Found found;
  {
    Progress progress(fmt::format("aqueduct figures {}", study.name));
    progress.stage("measuring");
    found = study.measure(*machine, Progress::report);
  }
  if (!typed.directory.empty()) {
    Output output(typed.directory);
    if (falsification != nullptr) store_falsification(output, study, *falsification);
    store_study(output, study, found, machine->model, falsification);
    if (const int code = finish(output)) return code;
  }
  if (!typed.check) return 0;
  fmt::print("{}", report(found.criteria));
  return fails(found.criteria) ? 1 : 0;
}

int run(const Study& study, const Typed& typed) {
  if (typed.directory.empty() && !typed.check && !typed.sensitivity && !typed.falsify) {
    return refuse(
        fmt::format("{}: say --out DIR, --check, --sensitivity, --falsify, or several of them", study.name));
  }
  if (!typed.only.empty() && !typed.sensitivity && !typed.falsify)
    return refuse("--only is for --sensitivity and --falsify");
  std::string error;
  if (!load(study, typed.chosen(), &error)) return refuse(error);
  if (!typed.directory.empty()) {
    if (const auto complaint = output_file::try_directory(typed.directory))
      return refuse("--out: " + *complaint);
  }
  env::warn_of_unknown_variables();
  try {
    if (typed.sensitivity) {
      if (const int code = run_sensitivity(study, typed)) return code;
    }
    std::optional<Falsification> falsification;
    if (typed.falsify) {
      int code = 0;
      falsification = run_falsification(study, typed, &code);
      if (!falsification) return code;
      if (typed.directory.empty() && !typed.check) return 0;
    }
    if (typed.sensitivity && !typed.check && !typed.falsify) return 0;
    return run_study(study, typed, falsification ? &*falsification : nullptr);
  } catch (const bench::portals::Failed& failed) {
    fmt::print(stderr, "aqueduct figures: {}\n", failed.what());
    return 1;
  }
}

/// All papers: each in a directory of its own, and the page that lists them.
int run_all(const std::vector<Study>& studies, const Typed& typed) {
  if (typed.directory.empty() && !typed.check && !typed.falsify)
    return refuse("all: say --out DIR, --check, --falsify, or several of them");
  std::vector<ListedPaper> papers;
  std::vector<Criterion> all;
  for (const Study& study : studies) {
    const std::filesystem::path directory = std::filesystem::path(typed.directory) / study.name;
    if (!typed.directory.empty()) {
      if (const auto complaint = output_file::try_directory(directory.string()))
        return refuse("--out: " + *complaint);
    }
  }
  env::warn_of_unknown_variables();
  for (const Study& study : studies) {
    std::string error;
    const auto machine = load(study, {.network = study.network}, &error);
    if (!machine) return refuse(error);
    Found found;
    std::optional<Falsification> falsification;
    try {
      if (typed.falsify) {
        Typed its;
        its.network = study.network;
        int code = 0;
        falsification = run_falsification(study, its, &code);
        if (!falsification) return code;
      }
      Progress progress(fmt::format("aqueduct figures {}", study.name));
      progress.stage("measuring");
      found = study.measure(*machine, Progress::report);
    } catch (const bench::portals::Failed& failed) {
      fmt::print(stderr, "aqueduct figures: {}\n", failed.what());
      return 1;
    }
    if (!typed.directory.empty()) {
      Output output(std::filesystem::path(typed.directory) / study.name);
      if (falsification) store_falsification(output, study, *falsification);
      store_study(output, study, found, machine->model, falsification ? &*falsification : nullptr);
      if (const int code = finish(output)) return code;
    }
    if (typed.check) fmt::print("{}\n{}\n", study.title, report(found.criteria));
    all.insert(all.end(), found.criteria.begin(), found.criteria.end());
    papers.push_back({.title = study.title,
                      .link = fmt::format("{0}/{0}.html", study.name),
                      .criteria = found.criteria,
                      .figures = found.figures});
  }
  if (!typed.directory.empty()) {
    Output output(typed.directory);
    output.store("index.html", index_html(papers));
    if (const int code = finish(output)) return code;
  }
  if (!typed.check) return 0;
  fmt::print("All papers: {}\n", Tally(all).text());
  return fails(all) ? 1 : 0;
}

struct CreditsTyped {
  std::string network = "seastar-xt4";
  std::vector<std::string> overrides;
  CreditRun run;
  bool check = false;
};

CreditComparison compare(const sim::NetworkModel& model, const CreditRun& run) {
  Progress progress("aqueduct figures credits");
  unsigned runs = 0;
  return compare_credits(model, run, [&](const std::string& stage) {
    progress.stage(stage);
    progress.span(runs * 0.5, runs * 0.5 + 0.5);  // the two take about as long
    ++runs;
  });
}

int run_credits(const CreditsTyped& typed) {
  std::string error;
  const auto model = networks::load(typed.network, typed.overrides, &error);
  if (!model || !can_carry_portals(*model, &error)) return refuse(error);
  env::warn_of_unknown_variables();
  const CreditComparison found = compare(*model, typed.run);
  if (!found.failure.empty()) {
    fmt::print(stderr, "aqueduct figures: {}\n", found.failure);
    return 1;
  }
  fmt::print("{}, {} nodes, nearest neighbours\n{}", model->name, typed.run.nodes, found.table);
  // The savings of dynamic credits grow with the number of peers, so on a smaller machine the criteria do not
  // apply.
  const bool is_stated = typed.run.nodes == kStatedNodes;
  for (const Criterion& criterion : found.criteria) {
    fmt::print("{}\n", is_stated || typed.check ? line_of(criterion) : line_without_judgement(criterion));
  }
  if (!is_stated) {
    fmt::print("The criteria are stated for {} nodes{}.\n", kStatedNodes,
               typed.check ? fmt::format("; --check holds {} to them all the same", typed.run.nodes)
                           : fmt::format(" and do not apply to {}", typed.run.nodes));
  }
  return !typed.check || !fails(found.criteria) ? 0 : 1;
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
  completion::offer(
      credits->add_option("--network", typed->network, "Another network than seastar-xt4")
          ->type_name("NETWORK"),
      [] { return completion::plain_words(networks::names()); }, completion::Beyond::kFiles);
  credits->add_option("--set", typed->overrides, "Change a number of it")->type_name("NAME=VALUE");
  credits->callback([typed, &exit_code] { exit_code = run_credits(*typed); });
}

void add_study(CLI::App& figures, const Study& study, int& exit_code) {
  CLI::App* const command = figures.add_subcommand(study.name, study.summary);
  auto typed = std::make_shared<Typed>();
  typed->network = study.network;
  command->add_option("--out", typed->directory, "Write data, drawings and a page here")->type_name("DIR");
  command->add_flag(
      "--check", typed->check,
      "Say for each thing that the paper states whether ours is so, and whether that was put in, "
      "fitted or predicted; exit 1 if one fails that is not known to be missed");
  command->add_flag("--sensitivity", typed->sensitivity,
                    "Halve and double every number of the network: which result moves by how much");
  command->add_flag(
      "--falsify", typed->falsify,
      "Measure on wrong machines, each number of the networks ten times and a tenth as large and each "
      "mechanism switched off: which criterion notices which error");
  command
      ->add_option("--only", typed->only,
                   "With --sensitivity and --falsify: this number (or mechanism), not all of them")
      ->type_name("NAME")
      ->allow_extra_args(false);
  completion::offer(
      command->add_option("--network", typed->network, "Another network than the paper's")
          ->type_name("NETWORK")
          ->capture_default_str(),
      [] { return completion::plain_words(networks::names()); }, completion::Beyond::kFiles);
  command->add_option("--set", typed->overrides, "Change a number of it, such as costs.interrupt_exit=3us")
      ->type_name("NAME=VALUE");
  command->callback([study, typed, &exit_code] { exit_code = run(study, *typed); });
}

void add_all(CLI::App& figures, const std::vector<Study>& studies, int& exit_code) {
  CLI::App* const command = figures.add_subcommand("all", "All papers, and a page that lists them");
  auto typed = std::make_shared<Typed>();
  command->add_option("--out", typed->directory, "Write data, drawings and pages here")->type_name("DIR");
  command->add_flag("--check", typed->check, "As of each paper; exit 1 if something fails");
  command->add_flag("--falsify", typed->falsify,
                    "As of each paper, in its page; half an hour of a processor");
  command->callback([studies, typed, &exit_code] { exit_code = run_all(studies, *typed); });
}

}  // namespace
}  // namespace aqueduct::figures

void add_figures_command(CLI::App& app, int& exit_code) {
  using namespace aqueduct::figures;
  CLI::App* figures = app.add_subcommand("figures", "The papers' figures, from simulation");
  const std::vector<Study> studies = all_papers();
  for (const Study& study : studies) add_study(*figures, study, exit_code);
  add_all(*figures, studies, exit_code);
  add_study(*figures, hot_spot_study(), exit_code);
  add_credits(*figures, exit_code);
  figures->callback([figures] {
    if (!figures->get_subcommands().empty()) return;
    std::string known;
    for (const CLI::App* study : figures->get_subcommands({})) known += " " + study->get_name();
    throw CLI::ValidationError("which figures? There are" + known);
  });
}
