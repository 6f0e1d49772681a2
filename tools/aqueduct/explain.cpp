// aqueduct explain JOB: why a job does not go on.
#include <fmt/format.h>

#include "commands.hpp"
#include "completion.hpp"
#include "observe/hang_report.hpp"
#include "watch/job_view.hpp"
#include "watch/source_lines.hpp"

namespace aqueduct::watch {
namespace {

struct ExplainTyped {
  std::string job;
  bool without_stacks = false;
};

int explain(const ExplainTyped& typed) {
  std::string why;
  std::optional<JobView> view = JobView::open(typed.job, &why);
  job::InspectOptions look;
  look.with_stacks = !typed.without_stacks;
  auto states = view ? view->look(look, &why) : std::nullopt;
  if (!states) {
    fmt::print(stderr, "aqueduct explain: {}\n", why);
    return 1;
  }
  // If root looks at another user's job, its programs are not passed to addr2line, which trusts its input.
  const std::string lacking = view->is_own() ? add_source_lines(*states) : "";
  fmt::print("{}\n{}", view->title(), observe::hang_report(*states, {.with_stacks = look.with_stacks}));
  if (observe::findings(*states).empty()) fmt::print("  => no rank waits for another\n");
  if (const std::string note = view->note(); !note.empty()) fmt::print("  {}\n", note);
  if (!lacking.empty()) fmt::print("  {}\n", lacking);
  return 0;
}

}  // namespace
}  // namespace aqueduct::watch

void add_explain_command(CLI::App& app, int& exit_code) {
  static aqueduct::watch::ExplainTyped typed;
  CLI::App* command =
      app.add_subcommand("explain", "Say what each rank of a job waits for, and who holds it up");
  command->formatter(std::make_shared<UsageFormatter>("JOB"));
  command->footer(
      "JOB is the number of a process of the job; `aqueduct ps` lists jobs. Lines that begin with => say "
      "what\n"
      "follows: a cycle, a stopped rank, a handler that does not return, the rank for which the others "
      "wait.");
  aqueduct::completion::offer(command->add_option("JOB", typed.job, "The job")->required()->type_name(""),
                              aqueduct::completion::jobs);
  command->add_flag("--no-stacks", typed.without_stacks, "Without the stacks of the ranks");
  command->callback([&exit_code] { exit_code = aqueduct::watch::explain(typed); });
}
