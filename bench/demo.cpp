#include "demo.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <system_error>

#include "job.hpp"
#include "stopwatch.hpp"
#include "table.hpp"

namespace aqueduct::bench {
namespace {

/// The results for the closing sentences.
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
  std::string noun;    ///< "put"; a size follows where there is one
  std::string how;     ///< the text after the size
  std::string beside;  ///< the machine's value for the same work
  Parameters parameters;
  std::function<void(const Result&, Findings&)> note = [](const Result&, Findings&) {};
};

Parameters asking(const char* bench, const char* kind, std::vector<std::size_t> sizes, unsigned ranks = 2) {
  Parameters parameters;
  parameters.bench = bench;
  parameters.conduit = "smp";
  parameters.kind = kind;
  parameters.sizes = std::move(sizes);
  parameters.ranks = ranks;
  return parameters;
}

std::vector<Step> steps(unsigned many) {
  const std::vector<std::size_t> blocks{4 * kKiB, 64 * kKiB, kMiB};
  return {
      {"put", "", "plain copy", asking("put-latency", "", {8}),
       [](const Result& result, Findings& found) { found.put_ns = result.rows[0].value.median; }},
      {"get", "", "plain copy", asking("get-latency", "", {8})},
      {"puts", "", "plain copies", asking("put-bandwidth", "", blocks),
       [](const Result& result, Findings& found) {
         const Row& row = result.rows.back();
         found.put_gigabytes = row.value.median;
         found.put_share = 1 / ratio(row, Better::kHigher).value_or(1);
       }},
      {"gets", "", "plain copies", asking("get-bandwidth", "", blocks)},
      {"message", ", there and back", "a cache line", asking("am-latency", "short", {}),
       [](const Result& result, Findings& found) {
         found.message_ns = result.rows[0].value.median;
         found.message_ratio = ratio(result.rows[0], Better::kLower).value_or(0);
       }},
      {"message", ", there and back", "a cache line", asking("am-latency", "medium", {512})},
      {"message", ", there and back", "two copies", asking("am-latency", "long", {64 * kKiB})},
      {"messages", ", one way, each", "", asking("am-flood", "short", {}),
       [](const Result& result, Findings& found) { found.flood_ns = result.rows[0].value.median; }},
      {"barrier of 2 ranks", "", "a cache line", asking("barrier", "", {})},
      {fmt::format("RandomAccess on {} ranks", many), "", "no messages",
       asking("random-access", "", {}, many),
       [](const Result& result, Findings& found) {
         const Row& row = result.rows[0];
         found.updates_per_second = row.value.median * 1e9;
         found.updates = std::get<std::uint64_t>(row.more.at("updates"));
         found.errors = std::get<std::uint64_t>(row.more.at("errors"));
       }},
  };
}

/// Shows a line that is replaced when the measurement is done; nothing if output does not go to a terminal.
void show_progress(const std::string& text) {
  if (isatty(STDOUT_FILENO) == 0) return;
  fmt::print("\r\033[K{}", text);
  std::fflush(stdout);
}

std::string size_words(std::size_t bytes) {
  if (bytes % kMiB == 0) return fmt::format("{} MiB", bytes / kMiB);
  if (bytes % kKiB == 0) return fmt::format("{} KiB", bytes / kKiB);
  return fmt::format("{} bytes", bytes);
}

void print_row(const Step& step, const Result& result, const Row& row) {
  const bool has_payload = row.size > 0 && step.parameters.bench != "random-access";
  const std::string size = has_payload ? fmt::format(" of {}", size_words(row.size)) : "";
  const auto with_unit = [&](double value) { return fmt::format("{} {}", short_number(value), result.unit); };
  fmt::print("  {:<38} {:>14}", step.noun + size + step.how, with_unit(row.value.median));
  if (const auto times = ratio(row, result.better)) {
    fmt::print(" {:>14} {:>8.2f}  {}", with_unit(row.limit->median), *times, step.beside);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_heading(const Machine& machine) {
  fmt::print("Aqueduct {} on {}, {} core(s), {}.\n\n", machine.version, machine.cpu, machine.cores,
             machine.kernel);
  fmt::print(
      "Each measurement starts a job of its own on shared memory: ranks, which are processes, that own a "
      "segment\n"
      "of memory each. A rank puts bytes into another's segment, gets bytes from it, or sends it an active "
      "message,\n"
      "which runs a function there. Beside it stands what the bare machine took for the same work in the "
      "same run.\n\n");
  fmt::print("  {:<38} {:>14} {:>14} {:>8}\n", "operation", "measured", "bare machine", "ratio");
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
  if (machine.load >= kDisturbing) {
    fmt::print(
        "  Other programs wanted {:.1f} cores when it began: on an idle machine the numbers are steadier.\n",
        machine.load);
  }
  fmt::print(
      "\nNext: `aqueduct bench --list` measures more, `aqueduct run -n 4 PROGRAM` runs a program of "
      "yours.\n");
}

}  // namespace

int run_demo(unsigned repetitions) {
  const Stopwatch watch;
  const Machine machine = describe_machine({});
  const unsigned many = std::clamp(machine.cores, 2U, 4U);
  print_heading(machine);
  Findings found;
  auto tour = steps(many);
  for (std::size_t i = 0; i < tour.size(); ++i) {
    Step& step = tour[i];
    step.parameters.repetitions = repetitions;
    if (const auto complaint = complete(step.parameters)) {
      fmt::print(stderr, "aqueduct demo: {}\n", *complaint);
      return 2;
    }
    // The text is not shown: the caller says why.
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    show_progress(fmt::format("  [{}/{}] measuring: {} ...", i + 1, tour.size(), step.noun));
    const Outcome outcome = run_job(step.parameters);
    show_progress("");
    if (outcome.result) {
      for (const Row& row : outcome.result->rows) {
        if (row.what != "each rank") print_row(step, *outcome.result, row);
      }
      step.note(*outcome.result, found);
    }
    if (outcome.exit_code != 0) {
      fmt::print(stderr, "aqueduct demo: {}: {}\n", step.noun,
                 outcome.error.empty() ? "the job failed" : outcome.error);
      return outcome.exit_code;
    }
  }
  print_summary(found, machine, watch.ns() / 1e9);
  return 0;
}

}  // namespace aqueduct::bench
