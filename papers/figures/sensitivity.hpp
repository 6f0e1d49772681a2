// Which result moves by how much when a number of the network is halved or doubled.
//
// Every number of the file is changed alone, both parts of a cost together, and everything is measured again.
// The results are the study's criteria. A number that moves none of them by more than a thousandth must say
// in its text that it is in no figure.
#pragma once
#include <string>
#include <vector>

#include "study.hpp"

namespace aqueduct::figures {

/// What one number does.
struct Influence {
  std::string parameter;
  std::string value;  ///< as people write it
  std::string mark;   ///< given, calibrated, assumed
  std::string source;
  bool is_zero = false;  ///< halved and doubled it is the same
  /// For each criterion, in their order: its value with the number halved and doubled.
  std::vector<double> halved;
  std::vector<double> doubled;
};

struct Sensitivity {
  std::vector<Criterion> criteria;  ///< with the file's own numbers
  std::vector<Influence> influences;

  /// By how much criterion `i` moves, as a part of its value; the larger of both ways.
  double move(const Influence& influence, std::size_t i) const;
  double largest_move(const Influence& influence) const;
  bool moves_something(const Influence& influence) const;
  /// Criteria that hold and do not any more when a number that is assumed is halved or doubled.
  std::vector<std::string> fragile() const;
};

/// How the model is read again with other numbers: the network's name and the user's overrides.
struct Changeable {
  std::string network;
  std::vector<std::string> overrides;
  std::vector<std::string> only;  ///< the numbers to change; empty: all of them
};

/// Throws bench::portals::Failed. `error` says what a number's name was wrong with.
Sensitivity find_sensitivity(const Study& study, const Changeable& network, const Advance& advance,
                             std::string* error);

/// For people: what each number moves most, and those that move nothing.
std::string sensitivity_text(const Sensitivity& sensitivity);
/// As data.
std::string sensitivity_json(const Sensitivity& sensitivity);
/// As a drawing: numbers down, results across, each field as dark as it moves.
std::string sensitivity_svg(const std::string& title, const Sensitivity& sensitivity);

}  // namespace aqueduct::figures
