// UCX, by its own program: ucx_perftest, two processes on this host.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "report/data.hpp"

namespace aqueduct::report::ucx {

bool is_installed();

/// What it has beside one of our plots: its test, and how its figures become ours.
struct Test {
  const char* plot;
  const char* name;     ///< of the test
  const char* options;  ///< further ones, for the batch file
  const char* what;     ///< for the reader
  enum Column { kMedianLatency, kBandwidth, kRate } column;
  double factor;  ///< times its value is ours
};
const Test* test_for(const std::string& plot);

struct Outcome {
  std::vector<Sample> samples{};
  std::string failure{};
  std::string command{};
};

/// How long all of it may take, and what is called meanwhile.
struct Patience {
  double timeout_s;
  std::function<void()> meanwhile;
};

/// Runs it for each size.
Outcome run(const Test& test, const std::vector<std::size_t>& sizes, bool quick, const Patience& patience);

/// The samples in what the program prints with -v, where each test of the batch is named by its size, and may
/// be repeated.
std::vector<Sample> samples_in(const std::string& csv, const Test& test);

}  // namespace aqueduct::report::ucx
