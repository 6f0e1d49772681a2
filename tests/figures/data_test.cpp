// What `aqueduct figures all` has written, against what the documents and the network files say. Needs
// all_figures/ in the build directory: the test figures.all writes it.
#include <cmath>
#include <map>
#include <set>

#include "documents.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::figures {
namespace {

/// The rows of the document's table of criteria, by what they are about.
std::map<std::string, std::vector<std::string>> documented(const Paper& paper) {
  std::istringstream text(document(paper.document));
  std::map<std::string, std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("| | ours | must be |")) {
      inside = true;
    } else if (!line.starts_with("|")) {
      inside = false;
    } else if (inside && !line.starts_with("|---")) {
      const std::vector<std::string> row = cells(line);
      EXPECT_TRUE(rows.emplace(row.front(), row).second)
          << "twice in " << paper.document << ": " << row.front();
    }
  }
  return rows;
}

/// Half of the last digit that `text` shows.
double half_of_last_digit(const std::string& text) {
  const std::string digits = text.substr(0, text.find_first_not_of("0123456789.-"));
  const std::size_t point = digits.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  return 0.5 * std::pow(10, -decimals);
}

TEST(Data, EveryNumberOfTheDocumentsIsTheData) {
  for (const Paper& paper : kPapers) {
    auto rows = documented(paper);
    for (const nlohmann::json& criterion : criteria_of(paper)) {
      const std::string what = criterion["what"];
      ASSERT_EQ(rows.count(what), 1u) << paper.document << " lacks a row: " << what;
      const std::vector<std::string> row = rows[what];
      ASSERT_GE(row.size(), 5u) << what;
      const double value = criterion["value"];
      const std::string expected = "criteria.md of `aqueduct figures " + std::string(paper.study) +
                                   " --out DIR` is the table that docs/" + paper.document + " should have";
      EXPECT_NEAR(std::stod(row[1]), value, half_of_last_digit(row[1]) * 1.0001) << what << ": " << expected;
      EXPECT_EQ(row[3], criterion["stated"].get<std::string>()) << expected;
      EXPECT_TRUE(row[4].starts_with(criterion["mark"].get<std::string>())) << what << ": " << expected;
      EXPECT_EQ(row[4].ends_with("**missed**"), !criterion["pass"].get<bool>()) << what << ": " << expected;
      rows.erase(what);
    }
    for (const auto& [what, row] : rows) ADD_FAILURE() << paper.document << ": no criterion says " << what;
  }
}

// What holds on every machine says nothing of this one.
TEST(Data, AtLeastHalfOfTheCriteriaThatCouldFailArePredictedAndHold) {
  std::size_t all = 0, predicted_and_held = 0;
  for (const Paper& paper : kPapers) {
    for (const nlohmann::json& criterion : criteria_of(paper)) {
      all += criterion["mark"] != "by construction";
      predicted_and_held += criterion["mark"] == "predicted" && criterion["pass"].get<bool>();
    }
  }
  EXPECT_GT(all, 40u);
  EXPECT_GE(2 * predicted_and_held, all);
}

/// The names of calibrated numbers, each behind `prefix`.
std::set<std::string> calibrated_in(const std::string& network, const std::string& prefix) {
  std::string error;
  const auto model = sim::NetworkModel::load(SOURCE_DIRECTORY "/networks/" + network + ".toml", {}, &error);
  EXPECT_TRUE(model) << error;
  std::set<std::string> found;
  if (!model) return found;
  for (const sim::Number& number : model->numbers()) {
    if (number.source == sim::NumberSource::kCalibrated) found.insert(prefix + number.name);
  }
  return found;
}

TEST(Data, WhatIsCalibratedIsWhatCriteriaSayWasFitted) {
  for (const Paper& paper : kPapers) {
    std::set<std::string> calibrated = calibrated_in(paper.network, ""), fitted;
    for (const char* const model : paper.models)
      calibrated.merge(calibrated_in(model, std::string(model) + ": "));
    for (const nlohmann::json& criterion : criteria_of(paper)) {
      const bool is_prediction = criterion["mark"] == "predicted";
      EXPECT_TRUE(!is_prediction || criterion["parameters"].empty()) << criterion["what"];
      if (criterion["mark"] != "fitted") continue;
      EXPECT_FALSE(criterion["parameters"].empty()) << criterion["what"];
      for (const std::string name : criterion["parameters"]) fitted.insert(name);
    }
    EXPECT_EQ(calibrated, fitted) << paper.network;
  }
}

TEST(Data, WhatIsMissedHasAReasonAndIsStillMissed) {
  std::set<std::string> missed;
  for (const Paper& paper : kPapers) {
    for (const nlohmann::json& criterion : criteria_of(paper)) {
      if (criterion["missed_because"].is_null()) continue;
      missed.insert(criterion["what"]);
      EXPECT_FALSE(criterion["pass"].get<bool>()) << criterion["what"] << " holds: take the reason away";
      EXPECT_GT(criterion["missed_because"].get<std::string>().size(), 20u);
    }
  }
  EXPECT_EQ(missed.count("NetPIPE put: size of half the bandwidth"), 1u);
}

TEST(Data, WhatHoldsByConstructionSaysWhyAndHolds) {
  for (const Paper& paper : kPapers) {
    for (const nlohmann::json& criterion : criteria_of(paper)) {
      const bool is_construction = criterion["mark"] == "by construction";
      EXPECT_EQ(is_construction, !criterion["holds_because"].is_null()) << criterion["what"];
      EXPECT_TRUE(!is_construction || criterion["pass"].get<bool>()) << criterion["what"];
    }
  }
}

TEST(Data, ThePageOfMissesHasEveryMiss) {
  const std::string page = document("misses.md");
  for (const Paper& paper : kPapers) {
    for (const nlohmann::json& criterion : criteria_of(paper)) {
      if (criterion["pass"].get<bool>()) continue;
      EXPECT_NE(page.find("`" + criterion["what"].get<std::string>() + "`"), std::string::npos)
          << "docs/misses.md says nothing of " << criterion["what"];
    }
  }
}

}  // namespace
}  // namespace aqueduct::figures
