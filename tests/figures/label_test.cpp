// Labels of charts: none on a curve, on another, or on a line that is not its own.
#include <gtest/gtest.h>

#include <set>

#include "papers/figures/labels.hpp"

namespace aqueduct::figures {
namespace {

TEST(Labels, KnowWhetherALinePasses) {
  const Box box{.left = 10, .top = 10, .right = 20, .bottom = 20};
  EXPECT_TRUE(passes({{0, 15}, {30, 15}}, box));
  EXPECT_TRUE(passes({{0, 0}, {30, 30}}, box));
  EXPECT_TRUE(passes({{15, 0}, {15, 12}}, box));
  EXPECT_TRUE(passes({{12, 12}, {13, 13}}, box));
  EXPECT_FALSE(passes({{0, 5}, {30, 5}}, box));
  EXPECT_FALSE(passes({{0, 25}, {25, 0}, {30, 30}}, {.left = 10, .top = 16, .right = 12, .bottom = 20}));
  EXPECT_FALSE(passes({{0, 0}, {9, 9}}, box));
}

void expect_apart(const std::vector<TopLabel>& labels) {
  for (const TopLabel& label : labels) {
    const double right = label.left + text_width(label.text);
    for (const TopLabel& other : labels) {
      if (&label == &other) continue;
      const double other_right = other.left + text_width(other.text);
      EXPECT_TRUE(label.row != other.row || right < other.left || other_right < label.left) << label.text;
      const bool passes_label = other.row > label.row && other.at > label.left && other.at < right;
      EXPECT_FALSE(passes_label) << other.text << " through " << label.text;
    }
  }
}

TEST(Labels, StandAboveTheirLines) {
  const auto labels = place_above({{100, "one"}, {400, "two"}}, 50, 700);
  ASSERT_EQ(labels.size(), 2u);
  for (const TopLabel& label : labels) {
    EXPECT_EQ(label.row, 0u);
    EXPECT_NEAR(label.left + text_width(label.text) / 2, label.at, 1);
  }
}

TEST(Labels, OfCloseLinesStandOnTheirSides) {
  const auto labels = place_above({{300, "half of the put"}, {320, "half of both"}}, 50, 700);
  expect_apart(labels);
  EXPECT_EQ(std::max(labels[0].row, labels[1].row), 0u);
}

TEST(Labels, OfManyCloseLinesStandInRows) {
  const auto labels = place_above(
      {{300, "a long text, about this"}, {310, "another long text"}, {322, "a third one"}, {335, "the last"}},
      50, 700);
  expect_apart(labels);
}

TEST(Labels, StayWithinTheDrawing) {
  const auto labels = place_above({{55, "a text that is longer than the room to its left"}}, 50, 700);
  EXPECT_GE(labels[0].left, 50);
}

TEST(Systems, HaveOneColourEach) {
  for (const Theme theme : {Theme::kLight, Theme::kDark}) {
    std::set<std::string> colours;
    const std::string rules = colour_rules(theme);
    unsigned count = 0;
    for (std::size_t at = rules.find('#'); at != std::string::npos; at = rules.find('#', at + 1), ++count) {
      colours.insert(rules.substr(at, 7));
    }
    EXPECT_GE(count, 9u);
    EXPECT_EQ(colours.size(), count);
  }
  EXPECT_NE(class_of(System::kMpi), class_of(System::kMpiConduit));
}

}  // namespace
}  // namespace aqueduct::figures
