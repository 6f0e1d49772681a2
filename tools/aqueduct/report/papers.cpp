#include "papers.hpp"

#include <fmt/format.h>

#include "papers/figures/changes.hpp"
#include "papers/figures/studies.hpp"
#include "tools/common/progress.hpp"

namespace aqueduct::report {
namespace {

Axis axis_of(const figures::Axis& axis) {
  return {axis.label, axis.scale == figures::Scale::kLog, axis.numbers == figures::Numbers::kBytes, axis.low,
          axis.high};
}

Sample exactly(const figures::Point& point) { return {point.x, {point.y, point.y, point.y}}; }

Plot plot_of(const figures::Study& study, const figures::Figure& figure) {
  const figures::Chart& chart = figure.chart;
  Plot plot{.id = fmt::format("{}-{}", study.name, figure.id),
            .section = study.title,
            .title = chart.title,
            .text = figure.text,
            .x = axis_of(chart.x),
            .y = axis_of(chart.y)};
  for (const figures::Curve& curve : chart.curves) {
    Series series{.name = curve.name,
                  .role = Role::kCurve,
                  .command = fmt::format("aqueduct figures {} --out DIR", study.name)};
    for (const figures::Point& point : curve.points) series.samples.push_back(exactly(point));
    plot.series.push_back(std::move(series));
  }
  for (const figures::Stated& stated : chart.stated)
    plot.stated.push_back({chart.curves[stated.curve].name, stated.at.x, stated.at.y, stated.text});
  for (const figures::Band& band : chart.bands) {
    Band range{.text = band.text};
    for (std::size_t i = 0; i < band.low.size(); ++i)
      range.low_to_high.push_back({band.low[i].x, {band.low[i].y, band.low[i].y, band.high[i].y}});
    plot.bands.push_back(std::move(range));
  }
  for (const figures::Guide& guide : chart.guides)
    plot.guides.push_back({guide.vertical, guide.at, guide.to, guide.text});
  return plot;
}

}  // namespace

void add_papers(Report& report, const std::function<void(const std::string&, double, double)>& watch) {
  const std::vector<figures::Study> papers = figures::all_papers();
  const auto count = static_cast<double>(papers.size());
  double done = 0;
  for (const figures::Study& study : papers) {
    watch(fmt::format("figures {}", study.name), done / count, (done + 1) / count);
    done += 1;
    std::string error;
    const auto machine = figures::machine_of(study, {.network = study.network}, {}, {}, &error);
    if (!machine) {
      report.failures.push_back({fmt::format("figures {}", study.name), error,
                                 fmt::format("aqueduct figures {} --check", study.name)});
      continue;
    }
    const figures::Found found = study.measure(*machine, Progress::report);
    report.sections.push_back(
        {study.title,
         fmt::format("From simulation; rings, bands and dotted lines are what the paper states. {}.",
                     figures::Tally(found.criteria).text())});
    for (const figures::Figure& figure : found.figures) report.plots.push_back(plot_of(study, figure));
  }
}

}  // namespace aqueduct::report
