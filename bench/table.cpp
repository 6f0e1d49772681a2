#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "registry.hpp"

namespace aqueduct::bench {
namespace {

std::string row_line(const Row& row, Better better, std::size_t what_width) {
  const auto limit = row.limit ? short_number(row.limit->median) : "-";
  const auto times = [](std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "-"; };
  std::string line =
      fmt::format("{:>8} {:>10} {:>10} {:>10} {:>10} {:>7} {:>7}", size_text(row.size),
                  short_number(row.value.median), short_number(row.value.min), short_number(row.value.max),
                  limit, times(ratio(row, better)), times(best_ratio(row, better)));
  if (what_width > 0) line = fmt::format("{:<{}} {}", row.what, what_width, line);
  return line;
}

std::string heading(std::size_t what_width) {
  std::string line = fmt::format("{:>8} {:>10} {:>10} {:>10} {:>10} {:>7} {:>7}", "size", "median", "min",
                                 "max", "limit", "ratio", "best");
  if (what_width > 0) line = fmt::format("{:<{}} {}", "", what_width, line);
  return line;
}

std::string joined_sizes(const std::vector<std::size_t>& sizes) {
  std::vector<std::string> texts;
  std::ranges::transform(sizes, std::back_inserter(texts), size_text);
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string simulation_options(const Parameters& parameters) {
  std::string line = fmt::format(" --sim {} --bridge {}", parameters.simulate, parameters.bridge);
  const auto into = std::back_inserter(line);
  for (const std::string& change : parameters.change) fmt::format_to(into, " --set {}", change);
  if (!parameters.faults.empty()) {
    fmt::format_to(into, " --faults '{}' --seed {}", parameters.faults, parameters.seed);
  }
  return line;
}

void append_notes(std::string& out, const Machine& machine, const Parameters& parameters,
                  const Result& result) {
  const auto into = std::back_inserter(out);
  for (const std::string& note : result.notes) fmt::format_to(into, "  {}\n", note);
  if (machine.oversubscribed) {
    fmt::format_to(
        into,
        "  The machine is oversubscribed: {} ranks of {} thread(s) share {} core(s), so the times contain "
        "waiting for a turn.\n",
        parameters.ranks, parameters.threads, machine.cores);
  }
  if (machine.load >= kDisturbing) {
    fmt::format_to(
        into, "  Other programs wanted {:.1f} cores just before the run; the numbers may suffer from it.\n",
        machine.load);
  }
}

}  // namespace

std::string short_number(double value) {
  const double magnitude = std::abs(value);
  const int decimals = magnitude >= 100 || magnitude == 0 ? 0
                       : magnitude >= 10                  ? 1
                       : magnitude >= 1
                           ? 2
                           : std::min(6, 2 - static_cast<int>(std::floor(std::log10(magnitude))));
  return fmt::format("{:.{}f}", value, decimals);
}

std::string command_line(const Parameters& parameters) {
  const Bench* bench = find_bench(parameters.bench);
  std::string line = fmt::format("aqueduct bench {}", parameters.bench);
  const auto into = std::back_inserter(line);
  if (parameters.simulate.empty()) fmt::format_to(into, " -n {}", parameters.ranks);
  if (!parameters.kind.empty()) fmt::format_to(into, " {} {}", bench->kind_option, parameters.kind);
  if (parameters.look_ahead != Parameters{}.look_ahead)
    fmt::format_to(into, " --look-ahead {}", parameters.look_ahead);
  if (bench->takes_sizes && parameters.kind != "short") {
    fmt::format_to(into, " --sizes {}", joined_sizes(parameters.sizes));
  }
  if (!parameters.simulate.empty()) return line + simulation_options(parameters);
  if (parameters.threads > 1) fmt::format_to(into, " --threads {}", parameters.threads);
  if (parameters.peers > 1) fmt::format_to(into, " --peers {}", parameters.peers);
  if (!parameters.against.empty()) fmt::format_to(into, " --against {}", parameters.against);
  if (parameters.uses_devices()) {
    fmt::format_to(into, " --local-memory {} --remote-memory {}", parameters.local_memory,
                   parameters.remote_memory);
    if (!parameters.device_class.empty()) fmt::format_to(into, " --device-class {}", parameters.device_class);
  }
  if (parameters.window != 0) fmt::format_to(into, " --window {}", size_text(parameters.window));
  fmt::format_to(into, " --mode {} --bind {} --repetitions {}", parameters.mode, parameters.bind,
                 parameters.repetitions);
  if (!parameters.conduit.empty()) fmt::format_to(into, " --conduit {}", parameters.conduit);
  return line;
}

std::string as_table(const Parameters& parameters, const std::string& conduit, const Machine& machine,
                     const Result& result) {
  std::size_t what_width = 0;
  for (const Row& row : result.rows) what_width = std::max(what_width, row.what.size());

  std::string out = fmt::format("{}\n", command_line(parameters));
  const auto into = std::back_inserter(out);
  const char* const better = result.better == Better::kLower ? "lower" : "higher";
  if (parameters.simulate.empty()) {
    fmt::format_to(into, "{}, in {}, {} is better; {} conduit, {} ranks, {} repetitions\n", result.title,
                   result.unit, better, conduit, parameters.ranks, parameters.repetitions);
    fmt::format_to(into, "{}, {} cores, {}, {}, aqueduct {}\n", machine.cpu, machine.cores, machine.kernel,
                   machine.compiler, machine.version);
  } else {
    fmt::format_to(into, "{}, in {}, {} is better; in virtual time, aqueduct {}\n", result.title, result.unit,
                   better, machine.version);
  }
  const bool has_limit =
      std::ranges::any_of(result.rows, [](const Row& row) { return row.limit.has_value(); });
  if (has_limit) {
    fmt::format_to(into, "limit: {} (median), measured in turns with the rows\n", result.limit_name);
    fmt::format_to(into,
                   "ratio: how many times worse than the limit, by medians; best: by the best repetitions\n");
  }
  fmt::format_to(into, "\n{}\n", heading(what_width));
  for (const Row& row : result.rows) fmt::format_to(into, "{}\n", row_line(row, result.better, what_width));
  append_notes(out, machine, parameters, result);
  return out;
}

}  // namespace aqueduct::bench
