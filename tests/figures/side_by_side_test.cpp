// Pieces of work side by side, each in a process of its own: their answers, and what becomes of those that
// fail.
#include "tools/common/side_by_side.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace aqueduct {
namespace {

TEST(SideBySide, AnswersComeInTheOrderOfThePieces) {
  for (const unsigned at_once : {1u, 3u, 20u}) {
    const auto answers = run_side_by_side(
        20, [](std::size_t piece) { return std::string(piece * 1000, static_cast<char>('a' + piece)); },
        {.at_once = at_once});
    ASSERT_EQ(answers.size(), 20u);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_TRUE(answers[i].is_there) << answers[i].why;
      EXPECT_EQ(answers[i].text, std::string(i * 1000, static_cast<char>('a' + i)));
    }
  }
}

TEST(SideBySide, WhatAPieceDoesChangesNothingHere) {
  static int here = 1;
  const auto answers = run_side_by_side(2,
                                        [](std::size_t) {
                                          ::setenv("AQUEDUCT_SIDE_BY_SIDE_TEST", "1", 1);
                                          return std::to_string(++here);
                                        },
                                        {});
  EXPECT_EQ(answers[0].text, "2");
  EXPECT_EQ(answers[1].text, "2");
  EXPECT_EQ(here, 1);
  EXPECT_EQ(std::getenv("AQUEDUCT_SIDE_BY_SIDE_TEST"), nullptr);
}

TEST(SideBySide, APieceThatFailsSaysWhyAndTheOthersGoOn) {
  const auto answers = run_side_by_side(5,
                                        [](std::size_t piece) -> std::string {
                                          if (piece == 1) throw std::runtime_error("too much rain");
                                          if (piece == 2) {
                                            std::fputs("*** FATAL ERROR: no roof\n", stderr);
                                            ::_exit(3);
                                          }
                                          if (piece == 3) ::raise(SIGTERM);
                                          for (volatile int spin = 0; piece == 4;) spin = spin + 1;
                                          return "dry";
                                        },
                                        {.at_once = 2, .processor_limit_s = 1});
  EXPECT_EQ(answers[0].text, "dry");
  EXPECT_EQ(answers[1].why, "too much rain");
  EXPECT_EQ(answers[2].why, "*** FATAL ERROR: no roof");
  EXPECT_EQ(answers[3].why, "ended by signal 15");
  EXPECT_EQ(answers[4].why, "not over after 1 s of processor time");
  for (std::size_t i = 1; i < answers.size(); ++i) EXPECT_FALSE(answers[i].is_there);
}

TEST(SideBySide, SaysHowFarItIs) {
  std::vector<double> parts;
  run_side_by_side(4, [](std::size_t) { return std::string("x"); },
                   {.at_once = 2, .advance = [&](double part) { parts.push_back(part); }});
  EXPECT_EQ(parts, (std::vector<double>{0.25, 0.5, 0.75, 1}));
}

}  // namespace
}  // namespace aqueduct
