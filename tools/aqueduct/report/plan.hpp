// The plots of a report, and the benchmark for each of them, the same for every conduit.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/data.hpp"

namespace aqueduct::report {

/// The x axis of a plot.
enum class Along { kSize, kDepth, kRanks, kNothing };

struct PlotPlan {
  Plot plot{};  ///< without series
  std::string bench{};
  std::string kind{};
  Along along = Along::kNothing;
  std::vector<std::size_t> sizes{};  ///< empty: those of the benchmark
  unsigned ranks = 2;
  bool takes_raw = false;  ///< measures the bare interface below a conduit in turns
  bool is_medium = false;  ///< sizes are payloads of Mediums, which a conduit limits
  bool is_rate = false;    ///< times per message are shown as messages per second
  bool local_device = false, remote_device = false;  ///< which sides of puts and gets lie on a device
  double weight = 1;                                 ///< how long it takes, relative to the others
};

struct Wanted {
  bool quick = false;
  unsigned ranks = 4;               ///< of barriers and RandomAccess, at most
  bool has_device = false;          ///< otherwise there is no section on them
  std::vector<std::string> only{};  ///< sections by the words of section_words(); empty: all
};

/// "latency", "bandwidth", ...: the words for --only.
std::vector<std::string> section_words();

/// The plots in the order of the page.
std::vector<PlotPlan> make_plan(const Wanted& wanted);

/// The texts above the plots of the wanted sections.
std::vector<Section> make_sections(const Wanted& wanted);

/// The arguments of `aqueduct bench` that measure a plot over a conduit, with sizes that the conduit takes.
std::vector<std::string> bench_words(const PlotPlan& plan, const Present& conduit,
                                     std::size_t most_medium_bytes, bool quick);

}  // namespace aqueduct::report
