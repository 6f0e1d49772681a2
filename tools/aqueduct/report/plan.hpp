// Which plots a report has, and which benchmark each of them is drawn from, for every conduit alike.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/data.hpp"

namespace aqueduct::report {

/// What the values of a plot are drawn over.
enum class Along { kSize, kDepth, kRanks, kNothing };

struct PlotPlan {
  Plot plot{};  ///< without series
  std::string bench{};
  std::string kind{};
  Along along = Along::kNothing;
  std::vector<std::size_t> sizes{};  ///< empty: those of the benchmark
  unsigned ranks = 2;
  bool takes_raw = false;  ///< the bare interface below a conduit is measured in turns
  bool is_medium = false;  ///< sizes are payloads of Mediums, which a conduit limits
  bool is_rate = false;    ///< times per message are shown as messages per second
  double weight = 1;       ///< how long it takes, beside the others
};

struct Wanted {
  bool quick = false;
  unsigned ranks = 4;               ///< of barriers and RandomAccess, at most
  std::vector<std::string> only{};  ///< sections by the words of section_words(); empty: all
};

/// "latency", "bandwidth", ...: what --only may say.
std::vector<std::string> section_words();

/// The plots in the order of the page.
std::vector<PlotPlan> make_plan(const Wanted& wanted);

/// What stands above the plots of the sections that are wanted.
std::vector<Section> make_sections(const Wanted& wanted);

/// The words of `aqueduct bench` that measure one of them over a conduit, with sizes it takes.
std::vector<std::string> bench_words(const PlotPlan& plan, const Present& conduit,
                                     std::size_t most_medium_bytes, bool quick);

}  // namespace aqueduct::report
