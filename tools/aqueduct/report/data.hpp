// The results of `aqueduct report` as data: the page shows them, and `--json` stores them in the form of
// docs/report.md.
//
// This file neither measures nor shows anything.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "statistics.hpp"

namespace aqueduct::report {

struct Axis {
  std::string label;  ///< with the unit, unless it is a number of bytes
  bool is_log = false;
  bool is_bytes = false;             ///< written 64, 4K, 1M
  double low = 0, high = 0;          ///< if they are equal the values decide
  std::vector<std::string> names{};  ///< of the values 0, 1, 2, ...; empty: these are numbers
};

struct Sample {
  double x = 0;
  bench::Spread y;
};

enum class Role { kConduit, kBare, kMachine, kPeer, kCurve };

/// "conduit", "bare" (the interface below a conduit, by itself), "machine" (what the bare machine does),
/// "peer" (another library's own program), "curve" (of a simulated figure).
const char* name_of(Role role);

struct Series {
  std::string name;
  Role role = Role::kConduit;
  std::string below{};    ///< of a bare interface: the conduit that runs over it
  std::string what{};     ///< how it was measured, in words
  std::string command{};  ///< repeats the measurement
  std::vector<Sample> samples{};
};

/// Statements of a paper: a value (Stated), a range of a curve (Band), or a line across (Guide; an area if
/// `to` is set).
struct Stated {
  std::string series;
  double x = 0, y = 0;
  std::string text;
};
struct Band {
  std::vector<Sample> low_to_high{};  ///< median: any, min and max: the range
  std::string text;
};
struct Guide {
  bool is_vertical = false;
  double at = 0;
  std::optional<double> to{};
  std::string text;
};

enum class PlotForm {
  kLines,  ///< over x
  kDots,   ///< one value of each series; x means nothing
};

struct Plot {
  std::string id;       ///< its anchor in the page
  std::string section;  ///< plots of one section follow each other
  std::string title;
  std::string text;
  PlotForm form = PlotForm::kLines;
  Axis x{}, y{};
  bool is_higher_better = false;
  std::vector<Series> series{};
  std::vector<Stated> stated{};
  std::vector<Band> bands{};
  std::vector<Guide> guides{};
};

struct MeasuredMachine {
  std::string host, cpu, system;
  unsigned cores = 0;
  std::uint64_t memory_bytes = 0;
  double load = 0;  ///< threads of other programs that wanted a core before the first run
};

/// A conduit or another library, and whether it was measured.
struct Present {
  std::string name;
  std::string summary;
  bool is_measured = false;
  std::string reason{};  ///< why not
};

/// A run that failed.
struct FailedRun {
  std::string what;  ///< "put-latency over udp"
  std::string why;
  std::string command;
};

struct Section {
  std::string title;
  std::string text;
};

struct Report {
  std::string version;
  std::string date;  ///< UTC, ISO 8601
  std::string command;
  double seconds = 0;
  bool is_quick = false;
  MeasuredMachine machine;
  std::vector<Present> conduits;
  std::vector<Present> peers;
  std::vector<Section> sections;
  std::vector<Plot> plots;
  std::vector<FailedRun> failures;
};

std::string to_json(const Report& report);

/// Its text says in one line what is wrong.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a text of to_json(). Throws Malformed.
Report from_json(const std::string& text);

/// One HTML file that needs nothing else.
std::string page_of(const Report& report);

}  // namespace aqueduct::report
