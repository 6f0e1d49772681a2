// A criterion: a value that a reproduction must reach, whether it does, and how much that says about the
// model.
//
// Every criterion has a mark. *Input*: the judged value was put into the model by hand. *Fitted*: a number of
// the model was calibrated until the criterion held. *Predicted*: nothing was adjusted for it, and it does
// not hold on some wrong machine (falsification.hpp). *By construction*: it holds on every machine, for a
// reason that is said. For the first two, `parameters` names the numbers or settings that were put in or
// calibrated.
//
// A criterion that the model is known to miss stays in the list, with the reason. It does not make a check
// fail.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace aqueduct::figures {

enum class Mark : std::uint8_t { kInput, kFitted, kPredicted, kByConstruction };

/// "input", "fitted", "predicted", "by construction".
const char* name_of(Mark mark);

struct Criterion {
  std::string what;    ///< "0-byte put latency"
  std::string unit;    ///< of the three numbers; may be empty
  std::string stated;  ///< what the paper says, in words: "4.89", "about 6 KB"
  double value = 0;    ///< ours
  double least = 0;    ///< the band in which it must lie
  double most = 0;
  Mark mark = Mark::kPredicted;
  std::vector<std::string>
      parameters{};              ///< the numbers that were put in or calibrated; none for a prediction
  std::string missed_because{};  ///< why the model is known to miss it; empty: it must hold
  std::string holds_because{};   ///< why it holds by construction

  bool holds() const { return value >= least && value <= most; }
  /// Whether it does not hold for a known reason.
  bool is_missed() const { return !holds() && !missed_because.empty(); }
  bool fails() const { return !holds() && missed_because.empty(); }
  /// "pass", "missed" or "FAIL".
  const char* verdict() const;
};

/// `value` must come within `percent` of `stated`.
Criterion within(std::string what, std::string unit, double value, double stated, double percent);

Criterion input(Criterion criterion, std::vector<std::string> parameters);
Criterion fitted(Criterion criterion, std::vector<std::string> parameters);
Criterion missed(Criterion criterion, std::string because);
Criterion by_construction(Criterion criterion, std::string because);

/// "above 1", "1.6 to 2.5".
std::string band_text(const Criterion& criterion);

/// One line: the verdict, the name, our value, the band, the fitted numbers or the reason of the miss.
std::string line_of(const Criterion& criterion);

/// The same if the criterion does not apply to what was measured.
std::string line_without_judgement(const Criterion& criterion);

/// How many there are of each kind.
struct Tally {
  explicit Tally(const std::vector<Criterion>& criteria);

  std::size_t input = 0;
  std::size_t fitted = 0;
  std::size_t predicted = 0;
  std::size_t predicted_and_held = 0;
  std::size_t by_construction = 0;
  std::size_t missed = 0;
  std::size_t failed = 0;

  std::size_t all() const { return input + fitted + predicted + by_construction; }
  /// "29 criteria: 4 input, 5 fitted, 18 predicted, of which 17 hold, 2 by construction; 1 missed".
  std::string text() const;
};

/// All criteria in groups, by mark, each with its number, and the tally at the end.
std::string report(const std::vector<Criterion>& criteria);

/// The same as a table in Markdown, for the documents.
std::string markdown(const std::vector<Criterion>& criteria);

}  // namespace aqueduct::figures
