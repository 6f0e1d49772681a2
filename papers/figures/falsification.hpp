// Which criterion notices which error: a study on machines that are wrong.
//
// A wrong machine is the study's with one change: a number of one of its networks ten times or a tenth as
// large, or a mechanism switched off. A criterion notices it if it holds on the study's own machine and not
// on the wrong one. A machine that its file's checks refuse, or on which the study fails or takes too long,
// is noticed as well, but is no merit of any criterion. A criterion that is missed notices nothing; where it
// holds on a wrong machine, that is shown, since the change may be what explains the miss.
//
// Machines run side by side, each in a process of its own (tools/common/side_by_side.hpp).
#pragma once
#include <string>
#include <vector>

#include "changes.hpp"

namespace aqueduct::figures {

enum class Error : std::uint8_t { kTenfold, kTenth, kSwitchedOff };

struct WrongMachine {
  std::string what;  ///< the number or mechanism
  Error error = Error::kTenfold;
  std::vector<std::string> overrides{};
  std::vector<scenarios::Setting> settings{};
  std::string why_not{};         ///< why the study could not be made on it; empty: it could
  std::vector<double> values{};  ///< of each criterion; none if it could not be made
  std::vector<bool> holds{};     ///< likewise

  /// "link.hop x10", "link.hop /10", "no-interrupts".
  std::string name() const;
};

/// A row of the matrix: both errors of a number, or a mechanism.
struct FalsifiedRow {
  std::string what;
  std::string value;                    ///< of a number; of a mechanism the changes that switch it off
  std::string mark;                     ///< of a number: given, calibrated, assumed
  std::string source;                   ///< of a number its text in the file, of a mechanism one line
  std::vector<std::size_t> machines{};  ///< their places in Falsification::machines
};

struct Falsification {
  std::vector<Criterion> criteria;  ///< on the study's own machine
  std::vector<WrongMachine> machines{};
  std::vector<FalsifiedRow> rows{};

  bool notices(std::size_t criterion, const WrongMachine& machine) const;
  /// Whether a missed criterion holds there.
  bool explains(const WrongMachine& machine, std::size_t criterion) const;
  /// How many wrong machines a criterion notices.
  std::size_t count(std::size_t criterion) const;
  /// The criteria that notice it, by their places.
  std::vector<std::size_t> noticed_by(const WrongMachine& machine) const;
  bool is_noticed(const WrongMachine& machine) const;
};

/// Throws bench::portals::Failed if the study cannot be made on its own machine. `error` says what is wrong
/// with what was chosen.
Falsification falsify(const Study& study, const Chosen& chosen, const Advance& advance, std::string* error);

/// For people: the matrix, the criteria that notice nothing, the errors that nobody notices.
std::string falsification_text(const Falsification& falsification);
/// As data.
std::string falsification_json(const Falsification& falsification);
/// Two tables in Markdown, for the documents: the criteria with how many errors they notice, and the rows.
std::string falsification_markdown(const Falsification& falsification);
/// As a drawing: rows down, criteria across.
Picture falsification_picture(const Falsification& falsification);

}  // namespace aqueduct::figures
