// What a benchmark prints: a line for each figure, its name and nanoseconds, the median of some repetitions.
// Programs in other interfaces print the same names, and clients/cxx/bench/compare puts them side by side.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

inline constexpr int kRepetitions = 5;

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// `prints`: one rank does.
inline double figure(const std::string& name, std::vector<double> times_ns, bool prints) {
  std::ranges::nth_element(times_ns, times_ns.begin() + static_cast<long>(times_ns.size() / 2));
  const double median = times_ns[times_ns.size() / 2];
  if (prints) {
    std::printf("%s %.2f\n", name.c_str(), median);
    std::fflush(stdout);
  }
  return median;
}

}  // namespace bench
