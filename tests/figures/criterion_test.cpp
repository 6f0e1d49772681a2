// Criteria: what holds, what is missed and what fails, and how that is counted and shown.
#include "papers/figures/criterion.hpp"

#include <gtest/gtest.h>

namespace aqueduct::figures {
namespace {

Criterion of_value(double value) {
  return {.what = "latency", .unit = "us", .stated = "about 2", .value = value, .least = 1, .most = 3};
}

TEST(Criterion, HoldsWithinItsBandAndAtItsEnds) {
  for (const double value : {1.0, 2.0, 3.0}) EXPECT_TRUE(of_value(value).holds()) << value;
  for (const double value : {0.99, 3.01}) {
    EXPECT_FALSE(of_value(value).holds()) << value;
    EXPECT_TRUE(of_value(value).fails()) << value;
    EXPECT_STREQ(of_value(value).verdict(), "FAIL");
  }
}

TEST(Criterion, ThatIsKnownToBeMissedDoesNotFail) {
  const Criterion criterion = missed(of_value(5), "the model knows no weather");
  EXPECT_TRUE(criterion.is_missed());
  EXPECT_FALSE(criterion.fails());
  EXPECT_STREQ(criterion.verdict(), "missed");
  EXPECT_NE(line_of(criterion).find("because the model knows no weather"), std::string::npos);
}

TEST(Criterion, ThatWasKnownToBeMissedAndHoldsSaysSo) {
  const Criterion criterion = missed(of_value(2), "the model knows no weather");
  EXPECT_STREQ(criterion.verdict(), "pass");
  EXPECT_NE(line_of(criterion).find("was known to be missed"), std::string::npos);
}

TEST(Criterion, WithinIsAPartOfWhatIsStated) {
  const Criterion criterion = within("latency", "us", 10.4, 10, 5);
  EXPECT_DOUBLE_EQ(criterion.least, 9.5);
  EXPECT_DOUBLE_EQ(criterion.most, 10.5);
}

TEST(Criteria, AreShownInThreeGroupsWithTheirCounts) {
  const std::vector<Criterion> all = {of_value(2), input(of_value(2), {"inline_bytes"}), of_value(9),
                                      fitted(of_value(2), {"costs.trap"}), missed(of_value(7), "of rain")};
  const Tally tally(all);
  EXPECT_EQ(tally.all(), 5u);
  EXPECT_EQ(tally.predicted, 3u);
  EXPECT_EQ(tally.predicted_and_held, 1u);
  const std::string text = report(all);
  const std::size_t input_at = text.find("input: put into the model by hand (1)\n");
  const std::size_t fitted_at = text.find("fitted: a number was calibrated to it (1)\n");
  const std::size_t predicted_at = text.find("predicted: nothing was adjusted for it (3)\n");
  ASSERT_NE(predicted_at, std::string::npos) << text;
  EXPECT_LT(input_at, fitted_at);
  EXPECT_LT(fitted_at, predicted_at);
  EXPECT_NE(text.find("by costs.trap"), std::string::npos);
  EXPECT_TRUE(
      text.ends_with("5 criteria: 1 input, 1 fitted, 3 predicted, of which 1 hold; 1 missed; 1 failed\n"))
      << text;
}

TEST(Criteria, ThatHoldByConstructionAreCountedAndShownApart) {
  const Criterion criterion = by_construction(of_value(2), "it never rains");
  EXPECT_STREQ(criterion.verdict(), "pass");
  EXPECT_EQ(Tally({criterion, of_value(2)}).text(),
            "2 criteria: 0 input, 0 fitted, 1 predicted, of which 1 hold, 1 by construction");
  EXPECT_NE(report({criterion}).find("by construction: it holds on every machine (1)\n"), std::string::npos);
  EXPECT_TRUE(line_of(criterion).ends_with("; because it never rains"));
  EXPECT_TRUE(markdown({criterion}).ends_with("| by construction: it never rains |\n"));
}

TEST(Criteria, MakeATableInMarkdown) {
  EXPECT_EQ(
      markdown({fitted(of_value(2.00049), {"costs.trap", "nic.slots"}), missed(of_value(7), "of rain")}),
      "| | ours | must be | the paper says | mark |\n|---|---|---|---|---|\n"
      "| latency | 2 us | 1 to 3 | about 2 | fitted: `costs.trap`, `nic.slots` |\n"
      "| latency | 7 us | 1 to 3 | about 2 | predicted, **missed** |\n");
}

}  // namespace
}  // namespace aqueduct::figures
