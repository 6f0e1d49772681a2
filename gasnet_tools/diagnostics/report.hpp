// What the self-test finds out: one line on stderr for each thing that is wrong, and their number.
#pragma once
#include <atomic>
#include <cstdint>

namespace aqueduct::gasnet_tools::diagnostics {

class Report {
 public:
  /// Counts and says what is wrong unless `good`. Any thread.
  void expect(bool good, const char* what, ...) __attribute__((format(printf, 3, 4)));
  int errors() const { return errors_.load(); }

 private:
  std::atomic<int> errors_{0};
};

/// What every part is told.
struct Plan {
  int iterations;
  int threads;
  unsigned seed;
};

}  // namespace aqueduct::gasnet_tools::diagnostics
