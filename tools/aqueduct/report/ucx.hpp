// UCX, by its own program: ucx_perftest, two processes on this host.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "report/data.hpp"

namespace aqueduct::report::ucx {

bool is_installed();

/// The test of UCX for one of our plots, and the conversion of its results.
struct Test {
  const char* plot;
  const char* name;     ///< of the test
  const char* options;  ///< further ones, for the batch file
  const char* what;     ///< for the reader
  enum Column { kMedianLatency, kBandwidth, kRate } column;
  double factor;  ///< its value times this is ours
};
const Test* test_for(const std::string& plot);

struct Outcome {
  std::vector<Sample> samples{};
  std::string failure{};
  std::string command{};
};

/// The time limit of a run, and a function that is called meanwhile.
struct Patience {
  double timeout_s;
  std::function<void()> meanwhile;
};

/// Runs it for each size.
Outcome run(const Test& test, const std::vector<std::size_t>& sizes, bool quick, const Patience& patience);

/// The samples in the program's output with -v, in which each test has its size as its name and may be
/// repeated.
std::vector<Sample> samples_in(const std::string& csv, const Test& test);

}  // namespace aqueduct::report::ucx
