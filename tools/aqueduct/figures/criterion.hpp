// A value that a reproduction must come to, and whether it did.
#pragma once
#include <string>

namespace aqueduct::figures {

struct Criterion {
  std::string what;    ///< "0-byte put latency"
  std::string unit;    ///< of the three numbers; may be empty
  std::string stated;  ///< what the paper says, in words: "4.89", "about 6 KB"
  double value = 0;    ///< ours
  double least = 0;    ///< the band in which it must lie
  double most = 0;

  bool passed() const { return value >= least && value <= most; }
};

/// `value` must come within `percent` of `stated`.
Criterion within(std::string what, std::string unit, double value, double stated, double percent);

/// One line: pass or FAIL, what, our value, the band.
std::string line_of(const Criterion& criterion);

/// The same where the criterion does not apply to what was measured.
std::string line_without_judgement(const Criterion& criterion);

}  // namespace aqueduct::figures
