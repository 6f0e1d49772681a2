// The help of every command is text for people: no control characters, and no words of the parser. Which
// commands there are is asked of the tool itself, so that none is forgotten.
#include <cctype>
#include <regex>

#include "command.hpp"

namespace aqueduct::test {
namespace {

/// The commands below one ("figures " or nothing), as its help lists them.
std::vector<std::string> commands_below(const std::string& above, const std::string& help) {
  std::vector<std::string> names;
  const std::size_t list = help.find("Subcommands:");
  if (list == std::string::npos) return names;
  for (const std::string& line : lines_of(help.substr(list))) {
    if (line.rfind("  ", 0) == 0 && line.size() > 2 && line[2] != ' ')
      names.push_back(above + line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

/// All of them, with those below others; the first is `aqueduct` itself, "".
const std::vector<std::string>& all_commands() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found{""};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string above = found[i].empty() ? "" : found[i] + " ";
      for (const std::string& name : commands_below(above, command(above + "--help").out))
        found.push_back(name);
    }
    return found;
  }();
  return all;
}

void expect_text_for_people(const std::string& text) {
  EXPECT_NE(text.find("Usage: aqueduct"), std::string::npos) << text;
  for (const char letter : text) {
    EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter <= '~'))
        << "character " << static_cast<int>(static_cast<unsigned char>(letter)) << " in\n"
        << text;
  }
  const std::regex of_the_parser(R"(\b(UINT|INT|FLOAT|TEXT|ENUM|BOOLEAN|value in|OR)\b|->| in \[)");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(text, found, of_the_parser)) << found.str() << " in\n" << text;
}

TEST(Help, OfEveryCommandIsTextForPeople) {
  ASSERT_GT(all_commands().size(), 20U);  // the commands, the studies below figures, and trace's two
  for (const char* known : {"run", "doctor", "figures aries", "trace merge", "help"}) {
    EXPECT_NE(std::find(all_commands().begin(), all_commands().end(), known), all_commands().end()) << known;
  }
  for (const std::string& name : all_commands()) {
    SCOPED_TRACE("aqueduct " + name);
    const Outcome outcome = command(name + " --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    expect_text_for_people(outcome.out);
  }
}

TEST(Help, CommandSaysWhatTheOptionSays) {
  for (const std::string& name : all_commands()) {
    const Outcome outcome = command("help " + name);
    EXPECT_EQ(outcome.exit_code, 0) << name;
    EXPECT_EQ(outcome.err, "") << name;
    EXPECT_EQ(outcome.out, command(name + " --help").out) << name;
  }
  EXPECT_EQ(command("help --help").out, command("help help").out);
}

struct Slip {
  const char* typed;
  const char* says;
};

TEST(Help, GuessesWhatWasMeant) {
  const Slip slips[] = {
      {"banch", "aqueduct: there is no command 'banch'; did you mean 'bench'?"},
      {"help banch", "aqueduct: there is no command 'banch'; did you mean 'bench'?"},
      {"rnu -n 2 x", "aqueduct: there is no command 'rnu'; did you mean 'run'?"},
      {"fig", "aqueduct: there is no command 'fig'; did you mean 'figures'?"},
      {"figures areis --check", "aqueduct: nothing is known of 'areis --check'; did you mean 'aries'?"},
      {"help figures areis", "aqueduct: there is no command 'figures areis'; did you mean 'figures aries'?"},
      {"bench limits --repetitoins 1", "did you mean '--repetitions'?"},
      {"bench put-latncy", "aqueduct bench: unknown benchmark 'put-latncy'; did you mean 'put-latency'?"},
      {"run --condiut udp -n 2 x", "aqueduct: --condiut: unknown option; did you mean '--conduit'?"},
      {"sim --nodse=8 ring", "did you mean '--nodes'?"},
      {"sim rign", "aqueduct: there is no scenario 'rign'; did you mean 'ring'?"},
  };
  for (const Slip& slip : slips) {
    const Outcome outcome = command(slip.typed);
    EXPECT_EQ(outcome.exit_code, 2) << slip.typed;
    EXPECT_EQ(outcome.out, "") << slip.typed;
    EXPECT_NE(outcome.err.find(slip.says), std::string::npos) << slip.typed << ": " << outcome.err;
  }
}

TEST(Help, DoesNotGuessWhatIsFarAway) {
  for (const char* typed : {"elephant", "help elephant", "x", "help x", "-", "--elephant"}) {
    const Outcome outcome = command(typed);
    EXPECT_EQ(outcome.exit_code, 2) << typed;
    EXPECT_EQ(outcome.out, "") << typed;
    EXPECT_EQ(outcome.err.find("did you mean"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace aqueduct::test
