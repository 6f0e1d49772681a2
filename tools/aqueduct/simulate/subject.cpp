#include "simulate/subject.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <deque>
#include <memory>

#include "base/fatal.hpp"
#include "tools/common/guess.hpp"
#include "tools/replay/scenario.hpp"

namespace aqueduct::simulate {

Subject find_subject(const SimOptions& options, const std::vector<std::string>& words,
                     const std::function<std::string(const std::string&)>& guess_of) {
  if (!options.replay.empty()) {
    if (!words.empty()) throw CLI::ValidationError(words[0] + ": --replay is what runs; take no scenario");
    Subject subject;
    subject.scenario = &replay::scenario();
    return subject;
  }
  if (options.compute != 1 || !options.against.empty())
    throw CLI::ValidationError("--compute with a scale, and --against, are for --replay");
  if (words.empty()) throw CLI::ValidationError("no scenario was given; `aqueduct sim --list` shows them");
  const bool for_executable =
      !options.shared.empty() || !options.computing.empty() || options.tag || options.patience != 10;
  const auto is_no_executable = [&] {
    if (for_executable)
      throw CLI::ValidationError("--shared, --compute, --tag and --patience are for executables");
  };
  Subject subject;
  subject.words = words;
  subject.scenario = scenarios::find(words.front());
  if (subject.scenario) {
    is_no_executable();
    if (words.size() > 1) throw CLI::ValidationError(words[1] + ": scenarios take no arguments");
    return subject;
  }
  if (words.front().size() > 1 && words.front().front() == '-')
    throw CLI::ValidationError(words.front() + ": unknown option" + guess_of(words.front()));
  if (words.front().find('/') == std::string::npos) {
    std::vector<std::string> names;
    for (const scenarios::Scenario& each : scenarios::all()) names.emplace_back(each.name);
    const std::string meant = guess(words.front(), names);
    throw CLI::ValidationError("there is no scenario '" + words.front() + "'" +
                               (!meant.empty()
                                    ? meant
                                    : "; `aqueduct sim --list` shows them. A program needs a slash: "
                                      "./program"));
  }
  if (process::Program::is_executable(words.front())) {
    const std::string& path = words.front();
    std::string why = process::ThreadArea::misfit();
    if (!why.empty())
      throw CLI::ValidationError(fmt::format("{}: executables cannot be simulated here: {}", path, why));
    process::set_compute_model(compute_model_of(options));
    std::shared_ptr<process::Program> executable = process::Program::load(path, options.shared, &why);
    if (!executable) throw CLI::ValidationError(why);
    if (!executable->uses_library())
      warn("simulation",
           "%s is no program of GASNet's or ours (it needs no libaqueduct); its ranks know nothing "
           "of each other",
           path.c_str());
    subject.executable = executable;
    return subject;
  }
  is_no_executable();
  void* const object = ::dlopen(words.front().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object) throw CLI::ValidationError(fmt::format("cannot load the program: {}", ::dlerror()));
  subject.program = reinterpret_cast<int (*)(int, char**)>(::dlsym(object, "aqueduct_sim_main"));
  if (!subject.program) {
    throw CLI::ValidationError(words.front() + " does not define aqueduct_sim_main(); see aqueduct/sim.h");
  }
  return subject;
}

void check_parameters(const SimOptions& options, const Subject& subject) {
  const auto complaint = subject.scenario ? subject.scenario->complaint : nullptr;
  if (!complaint) {
    if (!options.parameters.version.empty()) throw CLI::ValidationError("--version is for random-access");
    if (options.parameters.look_ahead != 0) throw CLI::ValidationError("--look-ahead is for random-access");
    return;
  }
  if (const std::string wrong = complaint(options.parameters, options.conduit); !wrong.empty())
    throw CLI::ValidationError(wrong);
}

std::function<int(RankId)> main_of(const Subject& subject, const scenarios::Parameters& parameters,
                                   process::Processes* processes) {
  if (processes) return [processes](RankId rank) { return processes->of(rank).run(); };
  if (subject.scenario)
    return [&subject, &parameters](RankId) { return subject.scenario->rank_main(parameters); };
  // Not on the ranks' stacks: a rank that exits never returns.
  auto all_arguments = std::make_shared<std::deque<Arguments>>();
  return [&subject, all_arguments](RankId) {
    Arguments& arguments = all_arguments->emplace_back(subject.words);
    return subject.program(arguments.argc(), arguments.argv());
  };
}

}  // namespace aqueduct::simulate
