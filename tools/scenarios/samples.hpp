// What a scenario measures of itself: times at rank 0, real ones in a live job, virtual ones in a simulation.
// So the same program says how long something takes on a machine and how long a model says that it takes. The
// samples belong to the process: those of one run, since nobody but rank 0 records.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aqueduct::scenarios {

/// One time of a series, such as the round trip of `x` bytes.
struct Sample {
  std::string series;
  std::uint64_t x = 0;
  double ns = 0;
};

/// Those of the last run.
std::vector<Sample>& samples();
void record(std::string_view series, std::uint64_t x, double ns);

/// Each sample in a line of its own, among other output of a job; and back again.
std::string line_of(const Sample& sample);
std::vector<Sample> samples_in(std::string_view output);

/// By each rank of a live job, once its part is done: the ranks leave together (round_clock.cpp).
[[noreturn]] void leave_live_job(int code);

}  // namespace aqueduct::scenarios
