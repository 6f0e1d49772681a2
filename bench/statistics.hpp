// The spread of a series of repetitions.
#pragma once
#include <span>

namespace aqueduct::bench {

struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;

  /// The spread after every value went through x -> numerator / x; a time per operation becomes a rate.
  Spread inverted(double numerator) const;
  Spread scaled(double factor) const;
};

/// `values` is not empty. The median of an even number of values is the mean of the middle two.
Spread spread_of(std::span<const double> values);

}  // namespace aqueduct::bench
