// The machine of a study, as its files have it and with changes: numbers of its networks scaled, mechanisms
// switched off.
//
// A change is a list of overrides and settings. An override "link.hop=60ns" is of the study's own network,
// "extoll-mpi: link.hop=60ns" of another one that the study uses.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "study.hpp"

namespace aqueduct::figures {

/// What the user asks for: the study's network and changes of it.
struct Chosen {
  std::string network;
  std::vector<std::string> overrides{};
  std::vector<std::string> only{};  ///< numbers and mechanisms to change; empty: all of them
};

/// The machine with the user's overrides, `more` and `settings`. On failure nothing, and a line in `*error`.
std::optional<PaperMachine> machine_of(const Study& study, const Chosen& chosen,
                                       const std::vector<std::string>& more,
                                       const std::vector<scenarios::Setting>& settings, std::string* error);

/// A number that can be changed. Its name has its network in front if that is not the study's own.
struct ChangeableNumber {
  std::string name;
  sim::Number number;

  bool is_zero() const { return number.value == 0 && number.fs_per_byte == 0; }
};

/// Whether the text of a number says that it moves nothing.
inline bool is_in_no_figure(const std::string& source) {
  return source.find("in no figure") != std::string::npos;
}

enum class Networks : std::uint8_t { kOwn, kAll };

/// The numbers of the study's networks, those of `chosen.only` if that names any. On failure none, and a line
/// in `*error`. A name in `only` that is of a mechanism is no error if `networks` is kAll.
std::vector<ChangeableNumber> numbers_of(const Study& study, const Chosen& chosen, Networks networks,
                                         std::string* error);

/// The overrides that make the number `factor` times as large, both parts of a cost together. None if it
/// would stay as it is.
std::vector<std::string> scaled(const ChangeableNumber& changeable, double factor);

}  // namespace aqueduct::figures
