// aqueduct demo: one tour of the library on this machine, for somebody who has just built it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "commands.hpp"
#include "job.hpp"
#include "stopwatch.hpp"
#include "table.hpp"

namespace aqueduct::bench {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

/// What the closing sentences are made of.
struct Findings {
  double put_ns = 0;
  double put_gigabytes = 0;
  double put_share = 0;  ///< of memcpy
  double message_ns = 0;
  double message_ratio = 0;
  double flood_ns = 0;
  double updates_per_second = 0;
  std::uint64_t updates = 0;
  std::uint64_t errors = 0;
};

struct Step {
  std::string what;
  Parameters parameters;
  std::function<void(const Result&, Findings&)> note;
};

Parameters asking(const char* bench, const char* kind, std::vector<std::size_t> sizes, unsigned ranks = 2) {
  Parameters parameters;
  parameters.bench = bench;
  parameters.kind = kind;
  parameters.sizes = std::move(sizes);
  parameters.ranks = ranks;
  return parameters;
}

std::vector<Step> steps(unsigned many) {
  const auto nothing = [](const Result&, Findings&) {};
  return {
      {"put", asking("put-latency", "", {8}),
       [](const Result& result, Findings& found) { found.put_ns = result.rows[0].value.median; }},
      {"get", asking("get-latency", "", {8}), nothing},
      {"put", asking("put-bandwidth", "", {4 * kKiB, 64 * kKiB, kMiB}),
       [](const Result& result, Findings& found) {
         const Row& row = result.rows[1];
         found.put_gigabytes = row.value.median;
         found.put_share = 1 / ratio(row, Better::kHigher).value_or(1);
       }},
      {"get", asking("get-bandwidth", "", {4 * kKiB, 64 * kKiB, kMiB}), nothing},
      {"message, there and back", asking("am-latency", "short", {}),
       [](const Result& result, Findings& found) {
         found.message_ns = result.rows[0].value.median;
         found.message_ratio = ratio(result.rows[0], Better::kLower).value_or(0);
       }},
      {"message, there and back", asking("am-latency", "medium", {512}), nothing},
      {"message, there and back", asking("am-latency", "long", {64 * kKiB}), nothing},
      {"message, one after another", asking("am-flood", "short", {}),
       [](const Result& result, Findings& found) { found.flood_ns = result.rows[0].value.median; }},
      {"barrier of 2 ranks", asking("barrier", "", {}), nothing},
      {fmt::format("RandomAccess on {} ranks", many), asking("random-access", "", {}, many),
       [](const Result& result, Findings& found) {
         const Row& row = result.rows[0];
         found.updates_per_second = row.value.median * 1e9;
         found.updates = row.more.at("updates");
         found.errors = row.more.at("errors");
       }},
  };
}

/// A line that is replaced when the measurement is done; nothing where output does not go to a terminal.
void show_progress(const std::string& text) {
  if (isatty(STDOUT_FILENO) == 0) return;
  fmt::print("\r\033[K{}", text);
  std::fflush(stdout);
}

void print_row(const std::string& what, const Result& result, const Row& row) {
  const std::string operation =
      row.size == 0 || result.unit == "GUP/s" ? what : fmt::format("{} of {} B", what, size_text(row.size));
  const std::string value = fmt::format("{} {}", short_number(row.value.median), result.unit);
  const auto times = ratio(row, result.better);
  if (times) {
    fmt::print("  {:<36} {:>14} {:>14}   {:>6.2f}   {}\n", operation, value,
               fmt::format("{} {}", short_number(row.limit->median), result.unit), *times, result.limit_name);
  } else {
    fmt::print("  {:<36} {:>14} {:>14}\n", operation, value, "-");
  }
  std::fflush(stdout);
}

void print_heading(const Machine& machine) {
  fmt::print("Aqueduct {} on {}, {} core(s), {}.\n\n", machine.version, machine.cpu, machine.cores,
             machine.kernel);
  fmt::print(
      "Each measurement starts a job of its own: ranks, which are processes, that own a segment of memory "
      "each.\n"
      "A rank puts bytes into another's segment, gets bytes from it, or sends it an active message, which "
      "runs a\n"
      "function there. Beside every figure stands what the bare machine does for the same work in the same "
      "run.\n\n");
  fmt::print("  {:<36} {:>14} {:>14}   {:>6}   {}\n", "operation", "measured", "machine", "times",
             "what the machine did");
}

void print_summary(const Findings& found, const Machine& machine, double seconds) {
  fmt::print("\nIn short, from this run of {:.0f} seconds:\n", seconds);
  fmt::print(
      "  Writing 8 bytes into another process's memory takes {} ns; large blocks move at {} GB/s, {:.0f} % "
      "of\n"
      "  what memcpy does between the same buffers.\n",
      short_number(found.put_ns), short_number(found.put_gigabytes), 100 * found.put_share);
  fmt::print(
      "  A message runs a function in another process and its answer is back after {} ns, {:.1f} times as "
      "long\n"
      "  as one cache line needs to go there and back; in a row, messages take {} ns each.\n",
      short_number(found.message_ns), found.message_ratio, short_number(found.flood_ns));
  fmt::print(
      "  RandomAccess made {} million updates per second; the self-check counted {} wrong words after {} "
      "million\n"
      "  updates: {}.\n",
      short_number(found.updates_per_second / 1e6), found.errors,
      short_number(static_cast<double>(found.updates) / 1e6), found.errors == 0 ? "passed" : "FAILED");
  if (machine.cores < 2)
    fmt::print("  This machine has one core for two ranks: the times contain waiting for a turn.\n");
  fmt::print(
      "\nNext: `aqueduct bench --list` measures more, `aqueduct run -n 4 PROGRAM` runs a program of "
      "yours.\n");
}

int run_demo() {
  const Stopwatch watch;
  const Machine machine = describe_machine({});
  const unsigned many = std::clamp(machine.cores, 2U, 4U);
  print_heading(machine);
  Findings found;
  auto tour = steps(many);
  for (std::size_t i = 0; i < tour.size(); ++i) {
    Step& step = tour[i];
    if (const auto complaint = complete(step.parameters)) {
      fmt::print(stderr, "aqueduct demo: {}\n", *complaint);
      return 2;
    }
    show_progress(fmt::format("  [{}/{}] measuring: {} ...", i + 1, tour.size(), step.what));
    const Outcome outcome = run_job(step.parameters);
    show_progress("");
    if (outcome.result) {
      for (const Row& row : outcome.result->rows) {
        if (row.what != "each rank") print_row(step.what, *outcome.result, row);
      }
      step.note(*outcome.result, found);
    }
    if (outcome.exit_code != 0) {
      fmt::print(stderr, "aqueduct demo: {}: {}\n", step.what,
                 outcome.error.empty() ? "the job failed" : outcome.error);
      return outcome.exit_code;
    }
  }
  print_summary(found, machine, watch.ns() / 1e9);
  return 0;
}

}  // namespace
}  // namespace aqueduct::bench

void add_demo_command(CLI::App& app, int& exit_code) {
  CLI::App* demo =
      app.add_subcommand("demo", "A tour: what this library does on this machine, in half a minute");
  demo->callback([&exit_code] { exit_code = aqueduct::bench::run_demo(); });
}
