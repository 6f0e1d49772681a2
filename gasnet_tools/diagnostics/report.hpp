// The result of the self-test: one line on stderr for each error, and their number.
#pragma once
#include <atomic>
#include <cstdint>

namespace aqueduct::gasnet_tools::diagnostics {

class Report {
 public:
  /// Unless `good`, counts an error and reports it. Any thread.
  void expect(bool good, const char* what, ...) __attribute__((format(printf, 3, 4)));
  int errors() const { return errors_.load(); }

 private:
  std::atomic<int> errors_{0};
};

/// The parameters of every part.
struct Plan {
  int iterations;
  int threads;
  unsigned seed;
};

}  // namespace aqueduct::gasnet_tools::diagnostics
