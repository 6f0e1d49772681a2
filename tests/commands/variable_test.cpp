// The table of variables: what the documentation shows and what the sources read, no more and no less. And
// what is said of a variable that is not in it.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/variables.hpp"
#include "command.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The rows of all tables of variables, with the headings that they stand under.
std::vector<std::string> rows(const std::string& text) {
  std::vector<std::string> found;
  std::string heading;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("## ", 0) == 0) heading = line;
    if (line.rfind("| `", 0) == 0) found.push_back(heading + " " + line);
  }
  return found;
}

TEST(Variables, AreDocumentedAsTheTableHasThem) {
  std::vector<std::string> documented = rows(content(SOURCE_DIRECTORY "/docs/environment.md"));
  std::vector<std::string> known = rows(command("info --variables").out);
  std::sort(documented.begin(), documented.end());
  std::sort(known.begin(), known.end());
  EXPECT_GT(known.size(), 50u);
  EXPECT_EQ(documented, known) << "`aqueduct info --variables` prints the tables of docs/environment.md";
}

TEST(Variables, AreInTheTableIfASourceReadsThem) {
  // Whole literals: part of a message, or the name of a constant of the interface, is none.
  const std::regex literal(R"re("((?:AQUEDUCT|GASNET)_[A-Z0-9_]+)")re");
  const std::set<std::string> no_variables = {
      "GASNET_OK",          "GASNET_ERR_NOT_INIT",  "GASNET_ERR_RESOURCE",
      "GASNET_ERR_BAD_ARG", "GASNET_ERR_NOT_READY", "GASNET_ERR_BARRIER_MISMATCH",
      "GASNET_SEQ",         "GASNET_PAR",           "GASNET_PARSYNC",
      "GASNET_BLOCKUNTIL"};
  int looked_at = 0;
  for (const char* folder : {"/src", "/gasnet_tools", "/sim", "/papers", "/tools", "/bench", "/clients"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(SOURCE_DIRECTORY + std::string(folder))) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      const std::string text = content(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it) {
        const std::string name = (*it)[1];
        ++looked_at;
        EXPECT_TRUE(no_variables.count(name) == 1 || env::is_known(name))
            << name << " in " << entry.path() << " is not in src/base/variables.cpp";
      }
    }
  }
  EXPECT_GT(looked_at, 100);
}

TEST(Variables, AreListedOnceAndDescribed) {
  std::set<std::string> names;
  for (const env::Variable& variable : env::variables()) {
    EXPECT_TRUE(names.insert(variable.name).second) << variable.name;
    const bool is_new = variable.alias == nullptr || names.insert(variable.alias).second;
    EXPECT_TRUE(is_new) << variable.alias;
    for (const char* text : {variable.type, variable.fallback, variable.text}) {
      ASSERT_NE(text, nullptr) << variable.name;
      EXPECT_NE(std::string(text), "") << variable.name;
      EXPECT_EQ(std::string(text).find_first_of("|\n"), std::string::npos) << variable.name;
    }
  }
}

TEST(Misspelling, FindsTheNameThatWasMeant) {
  EXPECT_EQ(env::nearest_name("AQUEDUCT_CONDIUT"), "AQUEDUCT_CONDUIT");
  EXPECT_EQ(env::nearest_name("AQUEDUCT_RNAKS"), "AQUEDUCT_RANKS");
  EXPECT_EQ(env::nearest_name("AQUEDUCT_BINDING"), "");
  EXPECT_EQ(env::nearest_name("AQUEDUCT_MAXSEGSIZE"), "AQUEDUCT_MAX_SEGSIZE");
  EXPECT_EQ(env::nearest_name("AQUEDUCT_COLOUR_OF_WATER"), "");
  EXPECT_TRUE(env::is_known("AQUEDUCT_ROOT"));
  EXPECT_TRUE(env::is_known("AQUEDUCT_TEST_ANYTHING"));
  EXPECT_TRUE(env::is_known("GASNET_MAXIMIZE_RLIMIT_CPU"));
  EXPECT_FALSE(env::is_known("AQUEDUCT_RANKSS"));
}

/// Once for a job, by whoever starts it: the launcher, a program that starts its own ranks, or one alone.
TEST(Misspelling, IsSaidOncePerJob) {
  constexpr char kLine[] =
      "*** WARNING: in environment(): AQUEDUCT_CONDIUT is not a variable of Aqueduct; did you mean "
      "AQUEDUCT_CONDUIT?\n";
  // Without the place in the client's source, which debug builds add.
  const auto warning = [](const Outcome& outcome) {
    return std::regex_replace(outcome.err, std::regex(" at [^ ]*:[0-9]+:"), ":");
  };
  const std::string slip = "AQUEDUCT_CONDIUT=wire";
  EXPECT_EQ(warning(client_job({slip})), kLine);
  EXPECT_EQ(warning(run({CLIENT_PROGRAM}, {slip, "AQUEDUCT_RANKS=2"})), kLine);
  EXPECT_EQ(warning(run({CLIENT_PROGRAM}, {slip})), kLine);
  EXPECT_EQ(warning(command("sim --nodes 2 ring", {slip})), kLine);
  EXPECT_EQ(warning(command("info", {slip})), kLine);
  EXPECT_EQ(warning(command("bench limits --repetitions 1 --sizes 8", {slip})), kLine);
  EXPECT_EQ(client_job({slip, "GASNET_QUIET=1"}).err, "");
  EXPECT_EQ(client_job({"AQUEDUCT_TEST_THIS=1", "AQUEDUCT_ROOT=/opt"}).err, "");
}

TEST(Misspelling, OfNothingNearNamesTheList) {
  EXPECT_EQ(
      client_job({"AQUEDUCT_COLOUR_OF_WATER=blue"}).err,
      "*** WARNING: in environment(): AQUEDUCT_COLOUR_OF_WATER is not a variable of Aqueduct; `aqueduct info "
      "--variables` lists them\n");
}

}  // namespace
}  // namespace aqueduct::test
