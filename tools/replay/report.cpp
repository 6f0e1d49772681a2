#include "tools/replay/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace aqueduct::replay {
namespace {

using What = Step::What;

class Path {
 public:
  Path(const Program& program, const Run& run)
      : program_(program), run_(run), arrived_(program.ranks.size()) {
    for (std::uint32_t i = 0; i < program.messages.size(); ++i) {
      if (run.handled[i] > 0) arrived_[program.messages[i].to].push_back(i);
    }
    for (auto& all : arrived_)
      std::ranges::sort(all, {}, [&](std::uint32_t message) { return run.handled[message]; });
  }

  Times find() const {
    Times times{};
    std::uint32_t rank = 0;
    std::int64_t time = 0;
    std::size_t steps = 0;
    for (std::uint32_t i = 0; i < run_.steps.size(); ++i) {
      steps += run_.steps[i].size() + 1;
      if (run_.steps[i].empty() || run_.steps[i].back().end <= time) continue;
      time = run_.steps[i].back().end;
      rank = i;
    }
    // Ranks that wait for each other without any time between them could go round for ever.
    for (std::size_t pieces = 0; pieces < 2 * steps && time > 0; ++pieces) {
      const std::vector<Span>& spans = run_.steps[rank];
      const auto after = std::ranges::lower_bound(spans, time, {}, &Span::begin);
      if (after == spans.begin()) break;
      const auto at = static_cast<std::size_t>(after - spans.begin() - 1);
      const Step& step = program_.ranks[rank].steps[at];
      // Between two steps nothing is done; in a recorded run that is rounding, or an unknown call.
      take(times, Kind::kCompute, spans[at].end, time);
      time = std::min(time, spans[at].end);
      if (time <= spans[at].begin) continue;
      const Cause cause = cause_of(rank, step, spans[at], time);
      const std::int64_t until = cause.is_known ? cause.time : spans[at].begin;
      take(times, step.kind, until, time);
      if (cause.is_known) rank = cause.rank;
      time = until;
    }
    take(times, Kind::kCompute, 0, time);
    return times;
  }

 private:
  struct Cause {
    bool is_known = false;
    std::uint32_t rank = 0;
    std::int64_t time = 0;
  };

  static void take(Times& times, Kind kind, std::int64_t from, std::int64_t to) {
    if (to > from) times[static_cast<std::size_t>(kind)] += to - from;
  }

  /// Who did last what the step waited for, if that was after it had begun, and before `time`.
  Cause cause_of(std::uint32_t rank, const Step& step, const Span& span, std::int64_t time) const {
    Cause cause;
    const auto consider = [&](std::uint32_t who, std::int64_t when) {
      if (cause.is_known && when <= cause.time) return;
      cause = {true, who, when};
    };
    if (step.what == What::kWaitMessages) {
      const std::uint32_t last = last_arrived(rank, span.end);
      if (last != kNone) consider(program_.messages[last].from, run_.sent[last]);
    } else if (step.meeting != kNone && waits(step)) {
      for (const auto& [who, where] : program_.meetings[step.meeting].members)
        consider(who, run_.steps[who][where].begin);
    }
    cause.is_known = cause.is_known && cause.rank != rank && cause.time > span.begin && cause.time <= time;
    return cause;
  }

  /// The last message that the rank has handled until then.
  std::uint32_t last_arrived(std::uint32_t rank, std::int64_t time) const {
    const auto& all = arrived_[rank];
    const auto after =
        std::ranges::upper_bound(all, time, {}, [&](std::uint32_t message) { return run_.handled[message]; });
    return after == all.begin() ? kNone : *(after - 1);
  }

  /// Whether a step of a barrier or collective waits for the others.
  static bool waits(const Step& step) {
    switch (step.what) {
      case What::kBarrier:
      case What::kCollective:
        return step.completion == Completion::kBlocking;
      case What::kNotified:
      case What::kSplit:
      case What::kWait:
        return true;
      default:
        return false;
    }
  }

  const Program& program_;
  const Run& run_;
  std::vector<std::vector<std::uint32_t>> arrived_;  // messages, by the rank that handled them
};

std::string micros(std::int64_t ns) { return fmt::format("{:.3f} us", static_cast<double>(ns) / 1000); }

double ratio(std::int64_t of, std::int64_t to) {
  return to == 0 ? 0 : static_cast<double>(of) / static_cast<double>(to);
}

std::int64_t sum(const Times& times) { return std::accumulate(times.begin(), times.end(), std::int64_t{0}); }

/// A row for each kind that took time in any of the runs.
std::string table(const std::string& title, const std::vector<std::pair<std::string, Times>>& columns) {
  std::string text = fmt::format("{:<22}", title);
  for (const auto& [name, times] : columns) text += fmt::format(" {:>16} {:>7}", name, "");
  text += "\n";
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (std::ranges::all_of(columns, [&](const auto& column) { return column.second[kind] == 0; })) continue;
    text += fmt::format("  {:<20}", name_of(static_cast<Kind>(kind)));
    for (const auto& [name, times] : columns)
      text += fmt::format(" {:>16} {:>5.1f} %", micros(times[kind]), 100 * ratio(times[kind], sum(times)));
    text += "\n";
  }
  return text;
}

}  // namespace

Times time_of_ranks(const Program& program, const Run& run) {
  Times times{};
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    for (std::size_t i = 0; i < program.ranks[rank].steps.size(); ++i) {
      const Span& span = run.steps[rank][i];
      times[static_cast<std::size_t>(program.ranks[rank].steps[i].kind)] += span.end - span.begin;
    }
  }
  return times;
}

Times critical_path(const Program& program, const Run& run) { return Path(program, run).find(); }

std::string report(const Program& program, const Run& replayed, const std::string& network,
                   const Run* against, const std::string& against_network) {
  const Run recorded = recorded_run(program);
  std::string text = fmt::format("recorded      {}\n", micros(recorded.duration));
  text += fmt::format("replayed      {} on {}: {:.3f} times as long\n", micros(replayed.duration), network,
                      ratio(replayed.duration, recorded.duration));
  if (against != nullptr) {
    text += fmt::format("against       {} on {}: {} is {:.3f} times as fast\n", micros(against->duration),
                        against_network, network, ratio(against->duration, replayed.duration));
  }
  for (const std::string& note : program.notes) text += fmt::format("note          {}\n", note);
  std::vector<std::pair<std::string, const Run*>> runs{{"recorded", &recorded}, {"replayed", &replayed}};
  if (against != nullptr) runs.emplace_back("against", against);
  std::vector<std::pair<std::string, Times>> ranks, paths;
  for (const auto& [name, run] : runs) {
    ranks.emplace_back(name, time_of_ranks(program, *run));
    paths.emplace_back(name, critical_path(program, *run));
  }
  text += table("time of all ranks", ranks);
  text += table("critical path", paths);
  return text;
}

}  // namespace aqueduct::replay
