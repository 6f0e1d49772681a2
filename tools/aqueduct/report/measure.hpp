// Runs the measurements of a report: each benchmark over each conduit, as a separate job that may fail or
// hang without harm to others; and other libraries' own programs.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "info/report.hpp"
#include "report/data.hpp"
#include "report/plan.hpp"

namespace aqueduct::report {

struct ReportRequest {
  Wanted wanted{};
  std::vector<std::string> conduits{};  ///< empty: all that are possible
  bool has_peers = true;                ///< other libraries' programs are run
  double timeout_s = 120;               ///< of one run
};

/// Called before every run, with its name and the part of the work that is done; and while it runs, with an
/// empty text.
using Watch = std::function<void(const std::string& what, double from, double to)>;

/// Adds the plots and the failed runs to `report`. Calls `complain` for each failure when it happens.
void measure(const ReportRequest& request, const info::InfoReport& here, const Watch& watch,
             const std::function<void(const FailedRun&)>& complain, Report& report);

}  // namespace aqueduct::report
