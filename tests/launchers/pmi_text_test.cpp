// Lines of PMI 1: what is one and what is not.
#include "job/launchers/pmi_text.hpp"

#include <gtest/gtest.h>

namespace aqueduct::job::launchers {
namespace {

std::string why_not(std::string_view line) {
  std::string why;
  return PmiLine::parse(line, &why) ? "" : why;
}

TEST(PmiText, ALineIsWordsOfWhichTheFirstIsItsCommand) {
  std::string why;
  const auto line = PmiLine::parse("cmd=get_result rc=0  msg=success value=a=b:/[]. ", &why);
  ASSERT_TRUE(line) << why;
  EXPECT_EQ(line->command(), "get_result");
  EXPECT_EQ(line->number("rc"), 0);
  EXPECT_EQ(*line->value("value"), "a=b:/[].");
  EXPECT_EQ(line->value("key"), nullptr);
}

TEST(PmiText, ValuesMayBeEmptyAndNumbersMayNot) {
  std::string why;
  const auto line = PmiLine::parse("cmd=x rc= n=12a m=-7", &why);
  ASSERT_TRUE(line) << why;
  EXPECT_EQ(*line->value("rc"), "");
  EXPECT_EQ(line->number("rc"), std::nullopt);
  EXPECT_EQ(line->number("n"), std::nullopt);
  EXPECT_EQ(line->number("m"), -7);
}

TEST(PmiText, WhatIsNotPmiIsRefusedWithTheReason) {
  EXPECT_EQ(why_not(""), "it does not begin with cmd=");
  EXPECT_EQ(why_not("   "), "it does not begin with cmd=");
  EXPECT_EQ(why_not("rc=0 cmd=init"), "it does not begin with cmd=");
  EXPECT_EQ(why_not("cmd= rc=0"), "its cmd is empty");
  EXPECT_EQ(why_not("HTTP/1.1 400 Bad Request"), "'HTTP/1.1' is not name=value");
  EXPECT_EQ(why_not("cmd=x =y"), "'=y' is not name=value");
  EXPECT_EQ(why_not("cmd=x Rc=0"), "'Rc' is no name");
  EXPECT_EQ(why_not("cmd=x rc=0 rc=1"), "'rc' is there twice");
  EXPECT_EQ(why_not(std::string_view("cmd=x\0", 6)), "it has characters that cannot be printed");
  EXPECT_EQ(why_not("cmd=x value=\xff"), "it has characters that cannot be printed");
  EXPECT_EQ(why_not("cmd=x value=" + std::string(kMostPmiLine, 'a')), "it has more than 8192 bytes");
}

TEST(PmiText, LinesArriveInPieces) {
  PmiLines lines;
  lines.append("cmd=a\ncmd");
  EXPECT_EQ(lines.next(), "cmd=a");
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.append("=b\n\n");
  EXPECT_EQ(lines.next(), "cmd=b");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_FALSE(lines.is_too_long());
  lines.append(std::string(kMostPmiLine + 1, 'x'));
  EXPECT_TRUE(lines.is_too_long());
}

TEST(PmiText, WhatAPersonIsShownIsShortAndPrintable) {
  EXPECT_EQ(printable("a\x01"
                      "b\n"),
            "a?b?");
  EXPECT_EQ(printable(std::string(100, 'x')).size(), 83u);
}

}  // namespace
}  // namespace aqueduct::job::launchers
