// What a benchmark prints: a line for each figure, its name and nanoseconds, the median of some repetitions.
// Programs in other interfaces print the same names, and clients/cxx/bench/compare puts them side by side.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
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

// Memory to copy from, half a page away from `to` within its page: on many processors a copy between equal
// places of pages takes longer, and what programs happen to have would decide between them.
class Source {
 public:
  Source(const void* to, std::size_t bytes)
      : memory_(bytes + 2 * kPage, 'x'),
        begin_(memory_.data() + (reinterpret_cast<std::uintptr_t>(to) + kPage / 2 -
                                 reinterpret_cast<std::uintptr_t>(memory_.data())) %
                                    kPage) {}
  const char* begin() const { return begin_; }

 private:
  static constexpr std::size_t kPage = 4096;
  std::vector<char> memory_;
  const char* begin_;
};

}  // namespace bench
