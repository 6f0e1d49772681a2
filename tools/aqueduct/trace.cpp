// aqueduct trace: sums up the trace files of a job (GASNET_TRACEFILE).
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "commands.hpp"
#include "tools/common/options.hpp"
#include "tools/common/output_file.hpp"
#include "trace/merge.hpp"
#include "trace/summary.hpp"
#include "trace/timeline_summary.hpp"

namespace aqueduct::trace_report {
namespace {

constexpr int kFailed = 1;

struct Typed {
  std::vector<std::string> files;
  std::string letters = kCategories;
  Per per = Per::kJob;
  Order order = Order::kTotal;
  std::string output;
};

int refuse(const std::string& complaint) {
  fmt::print(stderr, "aqueduct trace: {}\n", complaint);
  return kFailed;
}

struct Count {
  std::size_t understood = 0;
  std::size_t calls = 0;   ///< of these, not counting what clients wrote
  std::size_t others = 0;  ///< other lines in the same file, or lines that were cut
};

Count read(std::istream& in, Summary& summary) {
  Count count;
  for (std::string text; std::getline(in, text);) {
    if (const std::optional<TraceLine> line = parse(text)) {
      summary.add(*line);
      ++count.understood;
      if (!line->call.empty()) ++count.calls;
    } else {
      ++count.others;
    }
  }
  return count;
}

int report(const Typed& typed) {
  if (!typed.output.empty()) {
    if (const auto complaint = output_file::try_file(typed.output)) return refuse(*complaint);
  }
  Summary summary(typed.per);
  Count all;
  for (const std::string& name : typed.files) {
    std::ifstream file;
    if (name != "-") file.open(name);
    if (!file) return refuse(fmt::format("cannot read '{}': {}", name, std::strerror(errno)));
    const Count count = read(name == "-" ? std::cin : file, summary);
    if (count.calls == 0)
      return refuse(fmt::format("'{}' has no calls in it; it should be a trace (GASNET_TRACEFILE)", name));
    all.understood += count.understood;
    all.others += count.others;
  }
  std::string text = summary.tables(typed.letters, typed.order);
  text += fmt::format("{}, {} lines", summary.extent(), all.understood);
  text += all.others == 0 ? "\n" : fmt::format("; {} others were not understood\n", all.others);
  if (typed.output.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  if (const auto complaint = output_file::write(typed.output, text)) return refuse(*complaint);
  return 0;
}

int summarize_timeline(const std::string& file) {
  std::string why;
  const std::optional<Timeline> timeline = read_timeline(file, &why);
  if (!timeline) return refuse(why);
  fmt::print("{}", summarize(*timeline));
  return 0;
}

int merge_parts(const std::string& file) {
  const trace::timeline::Merged merged = trace::timeline::merge(file);
  if (!merged.error.empty()) return refuse(merged.error);
  if (!merged.warning.empty()) fmt::print(stderr, "aqueduct trace: {}\n", merged.warning);
  return 0;
}

std::string check_letters(std::string& letters) {
  for (char& letter : letters) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    if (std::string_view(kCategories).find(letter) == std::string_view::npos)
      return fmt::format("'{}' is not one of the categories {}", letter, kCategories);
  }
  return "";
}

}  // namespace
}  // namespace aqueduct::trace_report

void add_trace_command(CLI::App& app, int& exit_code) {
  using namespace aqueduct::trace_report;
  static Typed typed;
  CLI::App* trace = app.add_subcommand("trace", "Sum up the trace of a job (run --trace, GASNET_TRACEFILE)");
  trace->formatter(std::make_shared<UsageFormatter>("FILE... | summary FILE | merge FILE"));
  static std::string timeline;
  CLI::App* summary = trace->add_subcommand("summary", "Sum up a timeline (aqueduct run --trace FILE)");
  summary->add_option("FILE", timeline, "The timeline")->type_name("")->required();
  summary->callback([&exit_code] { exit_code = summarize_timeline(timeline); });
  CLI::App* merge =
      trace->add_subcommand("merge", "Make a timeline of the parts that ranks have left beside FILE");
  merge->add_option("FILE", timeline, "The timeline, as AQUEDUCT_TRACE named it")->type_name("")->required();
  merge->callback([&exit_code] { exit_code = merge_parts(timeline); });
  trace->require_subcommand(0, 1);
  trace->add_option("FILE", typed.files, "Trace files of all ranks, or - for standard input")->type_name("");
  trace
      ->add_option("-r,--report", typed.letters,
                   "Categories to report, by their letters: P puts, G gets, R atomics, A active messages, "
                   "W collectives, B barriers, S completion, L locks, X polls")
      ->type_name("LETTERS")
      ->transform(CLI::Validator(check_letters, ""));
  aqueduct::options::add_choice<Per>(*trace, "-p,--per", typed.per,
                                     {{"job", Per::kJob}, {"rank", Per::kRank}, {"thread", Per::kThread}},
                                     "Rows for the whole job, or for each rank or thread")
      ->default_str("job");
  aqueduct::options::add_choice<Order>(
      *trace, "-s,--sort", typed.order,
      {{"total", Order::kTotal}, {"count", Order::kCount}, {"most", Order::kMost}, {"place", Order::kPlace}},
      "What comes first: the largest total, count or single amount, or the place")
      ->default_str("total");
  trace->add_option("-o,--output", typed.output, "Write the report to this file")->type_name("FILE");
  trace->callback([trace, &exit_code] {
    if (!trace->get_subcommands().empty()) return;
    if (typed.files.empty()) throw CLI::RequiredError("FILE");
    exit_code = report(typed);
  });
}
