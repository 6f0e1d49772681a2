// Falsification: what counts as noticed, and how it is shown. The errors themselves are in the test
// figures.falsify.
#include "papers/figures/falsification.hpp"

#include <gtest/gtest.h>

namespace aqueduct::figures {
namespace {

Criterion criterion(const char* what, double value) {
  return {.what = what, .unit = "us", .stated = "1 to 3", .value = value, .least = 1, .most = 3};
}

/// Two criteria that hold and one that is missed, on four wrong machines.
Falsification sample() {
  Falsification sample;
  sample.criteria = {criterion("latency", 2), criterion("weak", 2), missed(criterion("gap", 5), "of rain")};
  sample.machines = {
      {.what = "link.hop", .error = Error::kTenfold, .values = {9, 2, 5}, .holds = {false, true, false}},
      {.what = "link.hop", .error = Error::kTenth, .values = {2, 2, 2}, .holds = {true, true, true}},
      {.what = "link.buffer", .error = Error::kTenth, .why_not = "refused: too small"},
      {.what = "no-rain", .error = Error::kSwitchedOff, .values = {2, 2, 5}, .holds = {true, true, false}}};
  sample.rows = {
      {.what = "link.hop", .value = "50 ns", .mark = "assumed", .source = "a guess", .machines = {0, 1}},
      {.what = "link.buffer",
       .value = "16",
       .mark = "given",
       .source = "in no figure: nothing waits",
       .machines = {2}},
      {.what = "no-rain", .value = "rain=0", .mark = "", .source = "it is dry", .machines = {3}}};
  return sample;
}

TEST(Falsification, ACriterionNoticesWhatMakesItFail) {
  const Falsification of = sample();
  EXPECT_TRUE(of.notices(0, of.machines[0]));
  EXPECT_FALSE(of.notices(0, of.machines[1]));
  EXPECT_FALSE(of.notices(1, of.machines[0]));
  EXPECT_EQ(of.count(0), 1u);
  EXPECT_EQ(of.count(1), 0u);
}

TEST(Falsification, ACriterionThatIsMissedNoticesNothingAndMayBeExplained) {
  const Falsification of = sample();
  EXPECT_EQ(of.count(2), 0u);
  EXPECT_TRUE(of.explains(of.machines[1], 2));
  EXPECT_FALSE(of.explains(of.machines[0], 2));
  EXPECT_FALSE(of.is_noticed(of.machines[1]));
}

TEST(Falsification, ARunThatFailsIsNoticedByNoCriterion) {
  const Falsification of = sample();
  EXPECT_TRUE(of.is_noticed(of.machines[2]));
  EXPECT_TRUE(of.noticed_by(of.machines[2]).empty());
  EXPECT_FALSE(of.is_noticed(of.machines[3]));
}

TEST(Falsification, IsAMatrixForPeople) {
  const std::string text = falsification_text(sample());
  EXPECT_NE(
      text.find("  link.hop x10     x. \n  link.hop /10     ..+\n  link.buffer /10  !!!  refused: too small\n"
                "  no-rain          .. \n"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "Criteria that notice nothing:\n  weak (predicted)\nErrors that nobody notices:\n  link.hop /10\n"
          "  no-rain\n"),
      std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("2 of 4 errors are noticed\n")) << text;
}

TEST(Falsification, IsTwoTablesInADocument) {
  EXPECT_EQ(falsification_markdown(sample()),
            "| | criterion | mark | errors noticed |\n|--:|---|---|--:|\n"
            "| 1 | latency | predicted | 1 |\n| 2 | weak | predicted | 0 |\n| 3 | gap | predicted, "
            "**missed** | 0 |\n"
            "\n| wrong machine | ten times | a tenth |\n|---|---|---|\n"
            "| `link.hop` | 1 | nobody |\n| `link.buffer` | not tried | the run fails |\n"
            "| `no-rain` | switched off: nobody | |\n");
}

}  // namespace
}  // namespace aqueduct::figures
