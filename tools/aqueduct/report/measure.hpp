// Runs what a report is made of: each benchmark over each conduit, as a job of its own that may fail or hang
// without harm to the others; and other libraries' own programs.
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

/// Told of every run before it starts, what it is and which part of the whole is done; and while it runs,
/// with an empty text.
using Watch = std::function<void(const std::string& what, double from, double to)>;

/// Adds the plots, and what came to nothing, to `report`. `complain` is called with a line for each failure
/// as it happens.
void measure(const ReportRequest& request, const info::InfoReport& here, const Watch& watch,
             const std::function<void(const FailedRun&)>& complain, Report& report);

}  // namespace aqueduct::report
