// The help of every command is text for people: no control characters, and no words of the parser.
#include <cctype>
#include <regex>

#include "command.hpp"

namespace aqueduct::test {
namespace {

class Help : public testing::TestWithParam<const char*> {};

TEST_P(Help, IsTextForPeople) {
  const Outcome outcome = command(std::string(GetParam()) + " --help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("Usage: aqueduct"), std::string::npos);
  for (const char letter : outcome.out) {
    EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter <= '~'))
        << "character " << static_cast<int>(static_cast<unsigned char>(letter)) << " in\n"
        << outcome.out;
  }
  const std::regex of_the_parser(R"(\b(UINT|INT|FLOAT|TEXT|ENUM|BOOLEAN|value in|OR)\b|->| in \[)");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(outcome.out, found, of_the_parser)) << found.str() << " in\n" << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Of, Help,
                         testing::Values("", "run", "info", "bench", "sim", "figures", "figures redstorm",
                                         "figures portals", "figures credits", "figures hot-spot", "trace",
                                         "ps", "top", "explain", "demo", "doctor", "report"),
                         [](const auto& info) {
                           std::string name = *info.param ? info.param : "aqueduct";
                           for (const char separator : {' ', '-'})
                             std::replace(name.begin(), name.end(), separator, '_');
                           return name;
                         });

/// A command that is added is tested, too.
TEST(Help, OfEveryCommandIsLookedAt) {
  const std::string help = command("--help").out;
  const std::size_t list = help.find("Subcommands:");
  ASSERT_NE(list, std::string::npos) << help;
  std::vector<std::string> names;
  for (const std::string& line : lines_of(help.substr(list))) {
    if (line.rfind("  ", 0) == 0 && line.size() > 2 && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"run", "sim", "info", "doctor", "bench", "report", "figures",
                                             "trace", "ps", "top", "explain", "demo"}));
}

}  // namespace
}  // namespace aqueduct::test
