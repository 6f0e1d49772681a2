#include "falsification.hpp"
#include "matrix_chart.hpp"

namespace aqueduct::figures {
namespace {

const char* sign_of(Error error) {
  switch (error) {
    case Error::kTenfold:
      return "×";
    case Error::kTenth:
      return "÷";
    case Error::kSwitchedOff:
      return "off";
  }
  return "";
}

/// What a criterion says of the row's machines.
MatrixField field_of(const Falsification& of, const FalsifiedRow& row, std::size_t criterion) {
  constexpr double kNoticed = 0.75, kHoldsThere = 0.5, kFailed = 0.1;
  MatrixField field;
  for (const std::size_t place : row.machines) {
    const WrongMachine& machine = of.machines[place];
    if (of.notices(criterion, machine)) {
      field = {.text = field.text + sign_of(machine.error), .shade = "fall", .darkness = kNoticed};
    } else if (of.explains(machine, criterion)) {
      field = {.text = field.text + sign_of(machine.error), .shade = "rise", .darkness = kHoldsThere};
    } else if (!machine.why_not.empty() && field.text.empty()) {
      field = {.text = "!", .shade = "rise", .darkness = kFailed};
    }
  }
  return field;
}

}  // namespace

Picture falsification_picture(const Falsification& falsification) {
  Matrix matrix{
      .note =
          "× ten times, ÷ a tenth, off: switched off. Blue: the criterion notices it. Red: it is missed, "
          "and holds there. !: the run fails.",
      .headings = {},
      .rows = {}};
  for (const Criterion& criterion : falsification.criteria)
    matrix.headings.push_back({criterion.what, criterion.mark == Mark::kPredicted});
  for (const FalsifiedRow& row : falsification.rows) {
    MatrixRow drawn{.name = row.what, .fields = {}};
    for (std::size_t i = 0; i < falsification.criteria.size(); ++i)
      drawn.fields.push_back(field_of(falsification, row, i));
    matrix.rows.push_back(std::move(drawn));
  }
  Picture picture = draw(matrix);
  picture.id = "falsification";
  picture.title = "Which criterion notices which error";
  picture.text =
      "Each row is a number of a network, ten times and a tenth as large, or a mechanism that is switched "
      "off; each "
      "column is a criterion, predicted ones in full colour. An empty row is an error that nobody notices, "
      "an "
      "empty column a criterion that notices nothing.";
  return picture;
}

}  // namespace aqueduct::figures
