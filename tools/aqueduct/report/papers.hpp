// The papers' figures, from simulation, as plots of a report.
#pragma once
#include <functional>
#include <string>

#include "report/data.hpp"

namespace aqueduct::report {

/// Simulates all papers and adds their figures, a section for each paper. Calls `watch` with the next paper
/// and the part that is done. Throws bench::portals::Failed.
void add_papers(Report& report,
                const std::function<void(const std::string& what, double from, double to)>& watch);

}  // namespace aqueduct::report
