// How much each result moves when a number of the network is halved or doubled.
//
// It changes each number of the study's own network alone, and measures everything again. The
// results are the study's criteria. The text of a number that moves none of them by more than a thousandth
// must say that it is in no figure.
#pragma once
#include <string>
#include <vector>

#include "changes.hpp"

namespace aqueduct::figures {

/// The influence of one number.
struct Influence {
  std::string parameter;
  std::string value;  ///< as people write it
  std::string mark;   ///< given, calibrated, assumed
  std::string source;
  bool is_zero = false;  ///< so that halving and doubling change nothing
  /// For each criterion, in their order: its value with the number halved and doubled.
  std::vector<double> halved;
  std::vector<double> doubled;
};

struct Sensitivity {
  std::vector<Criterion> criteria;  ///< with the file's own numbers
  std::vector<Influence> influences;

  /// How much criterion `i` moves, as a part of its value; the larger of the two moves.
  double move(const Influence& influence, std::size_t i) const;
  double largest_move(const Influence& influence) const;
  bool moves_something(const Influence& influence) const;
  /// Criteria that hold, but fail when an assumed number is halved or doubled.
  std::vector<std::string> fragile() const;
};

/// Throws bench::portals::Failed. `error` says what is wrong with a name in `chosen.only`.
Sensitivity find_sensitivity(const Study& study, const Chosen& chosen, const Advance& advance,
                             std::string* error);

/// For people: the result that each number moves most, and the numbers that move none.
std::string sensitivity_text(const Sensitivity& sensitivity);
/// As data.
std::string sensitivity_json(const Sensitivity& sensitivity);
/// As a drawing: numbers down, results across; the larger the move, the darker the field.
std::string sensitivity_svg(const std::string& title, const Sensitivity& sensitivity);

}  // namespace aqueduct::figures
