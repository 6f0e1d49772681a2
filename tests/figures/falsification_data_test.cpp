// docs/falsification.md against the data: its criteria are those of the studies, its counts are those of its
// own matrix, and the rows of a few errors are what `aqueduct figures STUDY --falsify --only ERROR` has just
// written to falsification_STUDY/ (the tests figures.falsify_STUDY).
#include <algorithm>
#include <map>
#include <set>

#include "documents.hpp"

namespace aqueduct::figures {
namespace {

/// A criterion of the document.
struct Told {
  std::string what, mark;
  std::size_t noticed = 0;
};

/// A row of its matrix: what is said of ten times as much (or of a mechanism that is switched off) and of a
/// tenth.
struct ToldRow {
  std::string tenfold, tenth;
};

struct Section {
  std::vector<Told> criteria;
  std::map<std::string, ToldRow> rows;
};

constexpr const char* kHow = "docs/falsification.md should have falsification.md of --falsify --out DIR";

/// The part of the document with the study's heading.
Section section_of(const Paper& paper) {
  std::istringstream text(document("falsification.md"));
  Section section;
  bool is_here = false, is_matrix = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) is_here = line == std::string("## ") + paper.study;
    if (!is_here || !line.starts_with("|") || line.starts_with("|-")) continue;
    const std::vector<std::string> row = cells(line);
    if (line.starts_with("| | criterion |")) {
      is_matrix = false;
    } else if (line.starts_with("| wrong machine |")) {
      is_matrix = true;
    } else if (is_matrix) {
      section.rows[row.at(0)] = {row.at(1), row.at(2)};
    } else {
      EXPECT_EQ(row.at(0), std::to_string(section.criteria.size() + 1));
      section.criteria.push_back({row.at(1), row.at(2), std::stoul(row.at(3))});
    }
  }
  EXPECT_FALSE(section.rows.empty()) << paper.study;
  return section;
}

/// The criteria that a cell names: "1 2 5-9".
std::set<std::size_t> named_in(std::string cell) {
  constexpr const char* kOff = "switched off: ";
  if (cell.starts_with(kOff)) cell = cell.substr(std::string(kOff).size());
  std::set<std::size_t> found;
  if (cell.empty() || !std::isdigit(static_cast<unsigned char>(cell.front()))) return found;
  std::istringstream text(cell);
  for (std::string word; text >> word;) {
    const std::size_t dash = word.find('-'), first = std::stoul(word);
    const std::size_t last = dash == std::string::npos ? first : std::stoul(word.substr(dash + 1));
    for (std::size_t i = first; i <= last; ++i) found.insert(i);
  }
  return found;
}

TEST(FalsificationData, TheDocumentHasEveryCriterionWithItsMark) {
  for (const Paper& paper : kPapers) {
    const Section section = section_of(paper);
    const nlohmann::json criteria = criteria_of(paper);
    ASSERT_EQ(section.criteria.size(), criteria.size()) << paper.study << ": " << kHow;
    for (std::size_t i = 0; i < criteria.size(); ++i) {
      EXPECT_EQ(section.criteria[i].what, criteria[i]["what"].get<std::string>()) << kHow;
      const std::string mark = criteria[i]["mark"];
      EXPECT_EQ(section.criteria[i].mark, criteria[i]["pass"].get<bool>() ? mark : mark + ", **missed**")
          << kHow;
    }
  }
}

TEST(FalsificationData, TheCountsAreThoseOfTheMatrix) {
  for (const Paper& paper : kPapers) {
    const Section section = section_of(paper);
    std::map<std::size_t, std::size_t> counts;
    for (const auto& [what, row] : section.rows) {
      for (const std::string& cell : {row.tenfold, row.tenth}) {
        for (const std::size_t i : named_in(cell)) ++counts[i];
      }
    }
    for (std::size_t i = 0; i < section.criteria.size(); ++i)
      EXPECT_EQ(section.criteria[i].noticed, counts[i + 1]) << section.criteria[i].what << ": " << kHow;
  }
}

TEST(FalsificationData, EveryPredictionNoticesAnErrorAndWhatHoldsByConstructionNone) {
  for (const Paper& paper : kPapers) {
    for (const Told& criterion : section_of(paper).criteria) {
      if (criterion.mark == "predicted") {
        EXPECT_GT(criterion.noticed, 0u) << criterion.what;
      } else if (criterion.mark == "by construction") {
        EXPECT_EQ(criterion.noticed, 0u) << criterion.what;
      }
    }
  }
}

/// The numbers, from 1, of the criteria that `machine` is noticed by.
std::set<std::size_t> noticed_by(const nlohmann::json& machine, const Section& section) {
  std::set<std::size_t> found;
  for (const std::string what : machine["noticed_by"]) {
    const auto place = std::ranges::find(section.criteria, what, &Told::what);
    found.insert(static_cast<std::size_t>(place - section.criteria.begin()) + 1);
  }
  return found;
}

TEST(FalsificationData, TheRowsThatWereMadeAgainAreThoseOfTheDocument) {
  for (const Paper& paper : kPapers) {
    const Section section = section_of(paper);
    const auto data = nlohmann::json::parse(
        content(std::string(BINARY_DIRECTORY "/falsification_") + paper.study + "/falsification.json"));
    EXPECT_GE(data["wrong_machines"].size(), 2u);
    for (const nlohmann::json& row : data["wrong_machines"]) {
      const std::string name = "`" + row["what"].get<std::string>() + "`";
      ASSERT_EQ(section.rows.count(name), 1u) << name << ": " << kHow;
      for (const nlohmann::json& machine : row["machines"]) {
        const std::string& cell =
            machine["error"] == "a tenth" ? section.rows.at(name).tenth : section.rows.at(name).tenfold;
        EXPECT_EQ(cell == "the run fails", !machine["failed_because"].is_null()) << name << ": " << kHow;
        EXPECT_EQ(named_in(cell), noticed_by(machine, section))
            << name << ", " << machine["error"] << ": " << kHow;
      }
    }
  }
}

}  // namespace
}  // namespace aqueduct::figures
