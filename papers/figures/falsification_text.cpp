// The matrix of errors and criteria as text, for the terminal and for the documents.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "falsification.hpp"

namespace aqueduct::figures {
namespace {

class MatrixWriter {
 public:
  template <typename... Values>
  void operator()(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  }
  std::string text;
};

/// "1 2 5-9", counted from 1.
std::string ranges_text(const std::vector<std::size_t>& places) {
  std::string text;
  for (std::size_t i = 0; i < places.size();) {
    std::size_t last = i;
    while (last + 1 < places.size() && places[last + 1] == places[last] + 1) ++last;
    if (!text.empty()) text += ' ';
    text += std::to_string(places[i] + 1);
    if (last > i) text += (last == i + 1 ? " " : "-") + std::to_string(places[last] + 1);
    i = last + 1;
  }
  return text;
}

char cell(const Falsification& of, const WrongMachine& machine, std::size_t criterion) {
  if (!machine.why_not.empty()) return '!';
  if (of.notices(criterion, machine)) return 'x';
  if (of.explains(machine, criterion)) return '+';
  return of.criteria[criterion].holds() ? '.' : ' ';
}

void write_criteria(MatrixWriter& write, const Falsification& of) {
  write("Criteria, and how many of {} errors each notices:\n", of.machines.size());
  for (std::size_t i = 0; i < of.criteria.size(); ++i) {
    const Criterion& criterion = of.criteria[i];
    write("  {:>3}  {:<10} {:>4}  {}{}\n", i + 1, name_of(criterion.mark), of.count(i), criterion.what,
          criterion.holds() ? "" : " (missed)");
  }
}

void write_matrix(MatrixWriter& write, const Falsification& of) {
  std::size_t longest = 0;
  for (const WrongMachine& machine : of.machines) longest = std::max(longest, machine.name().size());
  std::string tens, ones;
  for (std::size_t i = 0; i < of.criteria.size(); ++i) {
    tens += (i + 1) % 10 == 0 ? static_cast<char>('0' + (i + 1) / 10 % 10) : ' ';
    ones += static_cast<char>('0' + (i + 1) % 10);
  }
  write("Errors down, criteria across. x: notices it; +: is missed, and holds there; !: the run fails\n");
  write("  {:<{}}  {}\n  {:<{}}  {}\n", "", longest, tens, "", longest, ones);
  for (const WrongMachine& machine : of.machines) {
    std::string cells;
    for (std::size_t i = 0; i < of.criteria.size(); ++i) cells += cell(of, machine, i);
    write("  {:<{}}  {}{}{}\n", machine.name(), longest, cells, machine.why_not.empty() ? "" : "  ",
          machine.why_not);
  }
}

void write_gaps(MatrixWriter& write, const Falsification& of) {
  write("Criteria that notice nothing:\n");
  for (std::size_t i = 0; i < of.criteria.size(); ++i) {
    if (of.criteria[i].holds() && of.count(i) == 0)
      write("  {} ({})\n", of.criteria[i].what, name_of(of.criteria[i].mark));
  }
  for (const bool says_so : {false, true}) {
    write("Errors that nobody notices{}:\n",
          says_so ? ", of numbers whose text says that they are in no figure" : "");
    for (const FalsifiedRow& row : of.rows) {
      if (is_in_no_figure(row.source) != says_so) continue;
      for (const std::size_t place : row.machines) {
        if (!of.is_noticed(of.machines[place])) write("  {}\n", of.machines[place].name());
      }
    }
  }
}

std::string by_text(const Falsification& of, const WrongMachine& machine) {
  if (!machine.why_not.empty()) return "the run fails";
  const std::string text = ranges_text(of.noticed_by(machine));
  return text.empty() ? "nobody" : text;
}

}  // namespace

std::string falsification_text(const Falsification& falsification) {
  MatrixWriter write;
  write_criteria(write, falsification);
  write_matrix(write, falsification);
  write_gaps(write, falsification);
  const auto noticed = std::ranges::count_if(
      falsification.machines, [&](const WrongMachine& machine) { return falsification.is_noticed(machine); });
  write("{} of {} errors are noticed\n", noticed, falsification.machines.size());
  return std::move(write.text);
}

std::string falsification_markdown(const Falsification& falsification) {
  MatrixWriter write;
  write("| | criterion | mark | errors noticed |\n|--:|---|---|--:|\n");
  for (std::size_t i = 0; i < falsification.criteria.size(); ++i) {
    const Criterion& criterion = falsification.criteria[i];
    write("| {} | {} | {}{} | {} |\n", i + 1, criterion.what, name_of(criterion.mark),
          criterion.holds() ? "" : ", **missed**", falsification.count(i));
  }
  write("\n| wrong machine | ten times | a tenth |\n|---|---|---|\n");
  for (const FalsifiedRow& row : falsification.rows) {
    std::string tenfold = "not tried", tenth = tenfold;
    for (const std::size_t place : row.machines) {
      const WrongMachine& machine = falsification.machines[place];
      (machine.error == Error::kTenth ? tenth : tenfold) = by_text(falsification, machine);
    }
    if (row.mark.empty()) {
      write("| `{}` | switched off: {} | |\n", row.what, tenfold);
    } else {
      write("| `{}` | {} | {} |\n", row.what, tenfold, tenth);
    }
  }
  return std::move(write.text);
}

}  // namespace aqueduct::figures
