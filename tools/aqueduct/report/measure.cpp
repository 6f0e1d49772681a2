#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "json_text.hpp"
#include "report/ucx.hpp"
#include "tools/common/child.hpp"

namespace aqueduct::report {
namespace {

constexpr const char* kUcx = "UCX";

/// The name of the bare interface below a conduit.
std::string bare_name(const std::string& conduit) {
  if (conduit == "udp") return "UDP sockets";
  if (conduit == "mpi-openmpi") return "Open MPI";
  if (conduit == "mpi-mpich") return "MPICH";
  if (conduit == "ofi") return "libfabric";
  return "below " + conduit;
}

/// Ranks share no memory, except with the conduit for shared memory.
std::string layout_for(const std::string& conduit, unsigned ranks) {
  if (conduit == "smp") return "";
  std::string layout = "1";
  for (unsigned i = 1; i < ranks; ++i) layout += "+1";
  return layout;
}

/// The end of a run: a result, or the reason why there is none.
struct RunEnd {
  std::optional<bench::Result> result{};
  std::string why{};
  std::string command{};
  bool timed_out = false;
};

/// The x value of a row.
double place_of(const bench::Row& row, Along along) {
  const auto number = [&](const char* name) {
    const auto found = row.more.find(name);
    if (found == row.more.end()) return 0.0;
    const auto* const whole = std::get_if<std::uint64_t>(&found->second);
    return whole != nullptr ? static_cast<double>(*whole) : 0.0;
  };
  switch (along) {
    case Along::kSize:
      return static_cast<double>(row.size);
    case Along::kDepth:
      return number("depth");
    case Along::kRanks:
      return number("ranks");
    case Along::kNothing:
      break;
  }
  return 0;
}

/// Rows of RandomAccess that only repeat those of all ranks per rank.
bool is_share(const bench::Row& row) { return row.what == "each rank"; }

/// The state of one measurement of a report.
class Measurement {
 public:
  Measurement(const ReportRequest& request, const info::InfoReport& here, const Watch& watch,
              const std::function<void(const FailedRun&)>& complain, Report& report)
      : request_(request), here_(here), watch_(watch), complain_(complain), report_(report) {}

  void run() {
    const std::vector<PlotPlan> plans = make_plan(request_.wanted);
    for (const PlotPlan& plan : plans) {
      for (const Present& conduit : report_.conduits) all_ += conduit.is_measured ? plan.weight : 0;
      all_ += has_ucx(plan) ? 1 : 0;
    }
    for (const PlotPlan& plan : plans) {
      report_.plots.push_back(plan.plot);
      Plot& plot = report_.plots.back();
      for (const Present& conduit : report_.conduits) {
        if (conduit.is_measured) run_conduit(plan, conduit, plot);
      }
      if (has_ucx(plan)) run_ucx(plan, plot);
    }
    std::erase_if(report_.plots, [](const Plot& plot) { return plot.series.empty(); });
  }

 private:
  bool has_ucx(const PlotPlan& plan) const {
    return request_.has_peers && ucx::is_installed() && ucx::test_for(plan.plot.id) != nullptr;
  }

  /// Announces the next run; returns a callback that keeps the line alive.
  std::function<void()> start(const std::string& what, double weight) {
    const double from = done_ / all_, to = (done_ + weight) / all_;
    done_ += weight;
    watch_(what, from, to);
    return [this, from, to] { watch_("", from, to); };
  }

  void fail(const std::string& what, const std::string& why, const std::string& command) {
    report_.failures.push_back({what, why, command});
    complain_(report_.failures.back());
  }

  RunEnd run_bench(const std::vector<std::string>& words, const std::string& layout,
                   const std::function<void()>& meanwhile) {
    const InheritedFile stored;
    ChildRun run{.words = {this_program()},
                 .environment = {{"AQUEDUCT_LAYOUT", layout}},
                 .timeout_s = request_.timeout_s,
                 .meanwhile = meanwhile};
    run.words.insert(run.words.end(), words.begin(), words.end());
    run.words.insert(run.words.end(), {"--json", stored.path()});
    const Ended ended = run_to_end(run);
    RunEnd end{.command = fmt::format("{}aqueduct {}",
                                      layout.empty() ? "" : fmt::format("AQUEDUCT_LAYOUT={} ", layout),
                                      fmt::join(words, " ")),
               .timed_out = ended.timed_out};
    if (ended.timed_out) {
      end.why = fmt::format("it did not end within {:g} s (--timeout)", request_.timeout_s);
    } else if (ended.code != 0) {
      end.why = ended.said.empty() ? fmt::format("it ended with code {}", ended.code) : reason_in(ended.said);
    } else if (std::optional<bench::Answer> answer = bench::answer_from_text(stored.text());
               answer && answer->result) {
      end.result = std::move(answer->result);
    } else {
      end.why = "it ended without a result";
    }
    return end;
  }

  const info::ConduitFacts& facts_of(const Present& conduit) const {
    return *std::ranges::find(here_.conduits, conduit.name, &info::ConduitFacts::name);
  }

  void run_conduit(const PlotPlan& plan, const Present& conduit, Plot& plot) {
    const std::string what = fmt::format("{} over {}", plan.plot.id, conduit.name);
    const auto meanwhile = start(what, plan.weight);
    if (given_up_.contains(conduit.name)) return;
    const info::ConduitFacts& facts = facts_of(conduit);
    const std::string layout = layout_for(conduit.name, plan.ranks);
    std::vector<std::string> words =
        bench_words(plan, conduit, facts.max_medium_bytes, request_.wanted.quick);
    // A plug-in may have a bare interface, which only a run can tell.
    RunEnd beside_bare;
    if (plan.takes_raw && (conduit.name == "udp" || !facts.path.empty())) {
      std::vector<std::string> with_bare = words;
      with_bare.insert(with_bare.end(), {"--against", "raw"});
      beside_bare = run_bench(with_bare, layout, meanwhile);
      if (beside_bare.result) return add_series(plan, conduit.name, true, beside_bare, plot);
      if (beside_bare.timed_out) return give_up(what, conduit, beside_bare);
    }
    const RunEnd end = run_bench(words, layout, meanwhile);
    if (end.timed_out) return give_up(what, conduit, end);
    if (end.result) {
      add_series(plan, conduit.name, false, end, plot);
      if (!beside_bare.why.empty() && beside_bare.why.find("--against") == std::string::npos)
        fail(fmt::format("{} for {}", plan.plot.id, bare_name(conduit.name)), beside_bare.why,
             beside_bare.command);
    } else {
      fail(what, end.why, end.command);
    }
  }

  /// A benchmark that hangs once would hang again.
  void give_up(const std::string& what, const Present& conduit, const RunEnd& end) {
    given_up_.insert(conduit.name);
    fail(what, end.why + "; its further runs are left out", end.command);
  }

  void add_series(const PlotPlan& plan, const std::string& conduit, bool is_raw, const RunEnd& end,
                  Plot& plot) {
    constexpr double kMillionPerNs = 1000;
    const bench::Result& result = *end.result;
    Series ours{.name = conduit, .what = result.title, .command = end.command};
    Series limit{.name = is_raw ? bare_name(conduit) : "this machine",
                 .role = is_raw ? Role::kBare : Role::kMachine,
                 .below = is_raw ? conduit : "",
                 .what = result.limit_name,
                 .command = end.command};
    for (const bench::Row& row : result.rows) {
      if (is_share(row)) continue;
      const double x = place_of(row, plan.along);
      const auto shown = [&](const bench::Spread& spread) {
        return plan.is_rate ? spread.inverted(kMillionPerNs) : spread;
      };
      ours.samples.push_back({x, shown(row.value)});
      if (row.limit) limit.samples.push_back({x, shown(*row.limit)});
    }
    // Each conduit that shares memory measures the bare machine again; one series is enough.
    const bool is_known = !is_raw && std::ranges::any_of(plot.series, [](const Series& each) {
      return each.role == Role::kMachine;
    });
    plot.series.push_back(std::move(ours));
    if (!limit.samples.empty() && !is_known) plot.series.push_back(std::move(limit));
  }

  void run_ucx(const PlotPlan& plan, Plot& plot) {
    const ucx::Test& test = *ucx::test_for(plan.plot.id);
    const std::string what = fmt::format("{} by {}", plan.plot.id, kUcx);
    const auto meanwhile = start(what, 1);
    ucx::Outcome outcome = ucx::run(test, plan.sizes, request_.wanted.quick, {request_.timeout_s, meanwhile});
    if (!outcome.failure.empty()) return fail(what, outcome.failure, outcome.command);
    if (plan.along == Along::kNothing) outcome.samples.front().x = 0;
    plot.series.push_back({.name = kUcx,
                           .role = Role::kPeer,
                           .what = test.what,
                           .command = outcome.command,
                           .samples = std::move(outcome.samples)});
  }

  const ReportRequest& request_;
  const info::InfoReport& here_;
  const Watch& watch_;
  const std::function<void(const FailedRun&)>& complain_;
  Report& report_;
  std::set<std::string> given_up_;
  double all_ = 0;
  double done_ = 0;
};

std::vector<Present> conduits_of(const ReportRequest& request, const info::InfoReport& here) {
  std::vector<Present> conduits;
  for (const info::ConduitFacts& conduit : here.conduits) {
    const bool is_asked = request.conduits.empty() ||
                          std::ranges::find(request.conduits, conduit.name) != request.conduits.end();
    conduits.push_back(
        {.name = conduit.name,
         .summary = conduit.details.empty() ? conduit.summary : conduit.summary + "; " + conduit.details,
         .is_measured = conduit.is_possible && is_asked,
         .reason = !conduit.is_possible ? conduit.reason
                   : is_asked           ? ""
                                        : "not asked for"});
  }
  for (const info::PluginFacts& plugin : here.plugins) {
    if (!plugin.reason.empty())
      conduits.push_back({.name = plugin.name, .summary = plugin.path, .reason = plugin.reason});
  }
  return conduits;
}

std::vector<Present> peers_of(const ReportRequest& request, const std::vector<Present>& conduits) {
  std::vector<Present> peers;
  const auto below = [&](const char* conduit) {
    const auto found = std::ranges::find(conduits, conduit, &Present::name);
    Present peer{.name = bare_name(conduit), .summary = fmt::format("by itself, in turns with {}", conduit)};
    peer.is_measured = found != conduits.end() && found->is_measured;
    if (!peer.is_measured) {
      peer.reason =
          found != conduits.end()
              ? found->reason
              : fmt::format("there is no plug-in {}: `aqueduct doctor` says what is missing", conduit);
    }
    peers.push_back(peer);
  };
  for (const char* conduit : {"mpi-openmpi", "mpi-mpich", "ofi", "udp"}) below(conduit);
  const bool has_ucx = ucx::is_installed();
  peers.push_back({.name = kUcx,
                   .summary = "by ucx_perftest, two processes of its own",
                   .is_measured = has_ucx && request.has_peers,
                   .reason = !has_ucx            ? "ucx_perftest is not installed (Debian: ucx-utils)"
                             : request.has_peers ? ""
                                                 : "not asked for"});
  return peers;
}

}  // namespace

void measure(const ReportRequest& request, const info::InfoReport& here, const Watch& watch,
             const std::function<void(const FailedRun&)>& complain, Report& report) {
  report.conduits = conduits_of(request, here);
  report.peers = peers_of(request, report.conduits);
  report.sections = make_sections(request.wanted);
  Measurement(request, here, watch, complain, report).run();
}

}  // namespace aqueduct::report
