// The figures that many runs of one program print, with mean and confidence interval.
//
// A figure is a number in a line, with the words that follow it as its unit:
//
//   updates       4096 on 1024 words in 59.1 us: 4.43 GUP/s     four figures of "updates": a number without a
//                                                                unit, words, us and GUP/s
//
// Its name is what the line begins with: up to two spaces, or up to the first number. Figures of several runs
// with the same name, unit and place among those of the run belong together. Times are told in one unit,
// whichever each line has chosen.
//
//   RunStatistics statistics;
//   for (each run) statistics.add(its_output);
//   fmt::print("{}", statistics.table());
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aqueduct {

/// A number in a text.
struct PrintedFigure {
  std::string name;
  std::string unit;  ///< of a time ns
  double value = 0;
};

std::vector<PrintedFigure> printed_figures(std::string_view output);

/// How far from the mean of `count` values Student's t distribution reaches with a probability of 0.95, in
/// standard errors; for count >= 2.
double student_95(std::uint64_t count);

struct FigureStatistics {
  std::string name;
  std::string unit;
  std::uint64_t runs = 0;  ///< that have printed it
  double mean = 0;
  double half_width = 0;  ///< of the 95 % interval of the mean; 0 for a single run
  double least = 0;
  double most = 0;
};

class RunStatistics {
 public:
  /// Takes the figures of one run.
  void add(std::string_view output);

  /// In the order in which runs have printed them first. Times are in the unit that suits their mean.
  std::vector<FigureStatistics> figures() const;
  /// The same as lines for people, with a heading.
  std::string table() const;

 private:
  // Mean and squared distances are kept as each value comes (Welford), so that equal values have no spread.
  struct Gathered {
    std::string name, unit;
    std::uint64_t runs = 0;
    double mean = 0, squares = 0, least = 0, most = 0;
  };

  std::map<std::string, std::size_t>
      places_;  // in gathered_, by name, unit and number among those of the run
  std::vector<Gathered> gathered_;
};

}  // namespace aqueduct
