// Stacks say file and line where the program was compiled with -g, and are what they were where it was not or
// where nobody can look the lines up.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

constexpr double kLineTestsPatience = 100;

/// The line of the program's source that has these words.
std::string source_line(const std::string& words) {
  std::ifstream source(AQUEDUCT_STANDSTILL_SOURCE);
  int number = 1;
  for (std::string line; std::getline(source, line); ++number) {
    if (line.find(words) != line.npos) return std::to_string(number);
  }
  ADD_FAILURE() << "no such line: " << words;
  return "none";
}

/// A job whose rank 1 is in a call of hang() for ever, once both ranks are there.
class StuckJob {
 public:
  StuckJob(const std::string& program, std::vector<std::string> options)
      : process_(command(program, std::move(options))) {
    EXPECT_EQ(process_.wait_for_lines("ready", 1, kLineTestsPatience).size(), 1u);
  }

  /// What `aqueduct explain` says, as soon as the stack of rank 1 is in it. `path`: where it finds programs.
  std::string explained(const std::string& path = "") {
    const std::vector<std::string> environment =
        path.empty() ? std::vector<std::string>{} : std::vector<std::string>{"PATH=" + path};
    const auto begin = std::chrono::steady_clock::now();
    std::string text;
    do {
      text = run({AQUEDUCT_LAUNCHER, "explain", std::to_string(process_.pid())}, environment).all();
      const std::size_t rank = text.find("rank 1 (");
      if (rank != text.npos && text.find("hang+0x", rank) != text.npos) return text;
      ::usleep(20'000);
    } while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(kLineTestsPatience));
    ADD_FAILURE() << "no stack of rank 1:\n" << text;
    return text;
  }

  Process& process() { return process_; }

 private:
  static std::vector<std::string> command(const std::string& program, std::vector<std::string> options) {
    std::vector<std::string> words = {AQUEDUCT_LAUNCHER, "run", "-n", "2"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {program, "collective"});
    return words;
  }

  Process process_;
};

/// The caller's line, and the line of what it calls whether or not the compiler has inlined that.
void expect_lines(const std::string& text) {
  const std::string call = source_line("if (me == 1) compute();");
  EXPECT_TRUE(std::regex_search(
      text, std::regex(R"(hang\+0x[0-9a-f]+ in standstill 0x[0-9a-f]+ at standstill\.c:)" + call + "\n")))
      << text;
  const std::string loop = std::to_string(std::stoi(source_line("static void compute(void)")) + 1);
  EXPECT_TRUE(
      std::regex_search(text, std::regex("compute[^\n]* at standstill\\.c:" + loop + "( \\(inlined\\))?\n")))
      << text;
}

/// A folder with a program that is found instead of addr2line, and is a shell script.
class FakeTool {
 public:
  explicit FakeTool(const std::string& script)
      : folder_(testing::TempDir() + "fake_tool_" + std::to_string(::getpid())) {
    std::filesystem::create_directory(folder_);
    if (script.empty()) return;
    const std::string name = folder_ + "/addr2line";
    std::ofstream(name) << "#!/bin/sh\necho $* >> " << mark() << "\n" << script << "\n";
    ::chmod(name.c_str(), 0755);
  }
  ~FakeTool() { std::filesystem::remove_all(folder_); }
  FakeTool(const FakeTool&) = delete;
  FakeTool& operator=(const FakeTool&) = delete;

  const std::string& folder() const { return folder_; }
  bool was_run_for(const std::string& program) const {
    std::ifstream arguments(mark());
    for (std::string line; std::getline(arguments, line);) {
      if (line.find("/" + program + " ") != line.npos) return true;
    }
    return false;
  }

 private:
  std::string mark() const { return folder_ + "/was_run"; }
  std::string folder_;
};

void expect_no_lines(const std::string& text, const std::string& program) {
  EXPECT_TRUE(std::regex_search(text, std::regex(R"(hang\+0x[0-9a-f]+ in )" + program + " 0x[0-9a-f]+\n")))
      << text;
  EXPECT_EQ(text.find(" at "), text.npos) << text;
}

TEST(SourceLines, AreInTheStacksOfProgramsWithDebugInformation) {
  StuckJob job(AQUEDUCT_STANDSTILL, {});
  const std::string text = job.explained();
  expect_lines(text);
  EXPECT_EQ(text.find("lines of source"), text.npos) << text;
}

TEST(SourceLines, AreKnownOfRanksOnOtherHosts) {
  const std::string shell = "sh -c 'shift; exec sh -c \"$*\"' shell";
  StuckJob job(AQUEDUCT_STANDSTILL, {"--hosts", "one:1,two:1", "--rsh", shell, "--conduit", "udp"});
  expect_lines(job.explained());
}

// Nobody is asked for lines that are not there.
TEST(SourceLines, AreNotInThoseOfOtherPrograms) {
  StuckJob job(AQUEDUCT_STANDSTILL_PLAIN, {});
  const FakeTool tool(":");  // the system's libraries may have lines
  const std::string text = job.explained(tool.folder());
  expect_no_lines(text, "standstill_plain");
  EXPECT_EQ(text.find("lines of source"), text.npos) << text;
  EXPECT_FALSE(tool.was_run_for("standstill_plain"));
}

TEST(SourceLines, AreMissedWhereTheToolIsNotInstalled) {
  StuckJob job(AQUEDUCT_STANDSTILL, {});
  const FakeTool none("");
  const std::string text = job.explained(none.folder());
  expect_no_lines(text, "standstill");
  EXPECT_NE(text.find("lines of source need addr2line, which is not installed"), text.npos) << text;
}

TEST(SourceLines, AreMissedWhereTheToolFailsOrSaysNonsense) {
  StuckJob job(AQUEDUCT_STANDSTILL, {});
  {
    const FakeTool failing("exit 1");
    const std::string text = job.explained(failing.folder());
    expect_no_lines(text, "standstill");
    EXPECT_NE(text.find("addr2line fails"), text.npos) << text;
    EXPECT_TRUE(failing.was_run_for("standstill"));
  }
  for (const char* const nonsense :
       {"echo 0x", "echo hello", "while [ $# -gt 0 ]; do printf '%s\\nmain\\n??:0\\n' $1; shift; done",
        "for a; do echo $a; done", "for a; do printf '%s\\nmain\\nx.c:12x\\n' $a; done"}) {
    const FakeTool talking(nonsense);
    expect_no_lines(job.explained(talking.folder()), "standstill");
    EXPECT_TRUE(talking.was_run_for("standstill"));
  }
}

// The supervisor, which writes this report, starts nothing but ranks.
TEST(SourceLines, OfAReportOfTheJobItselfAreAskedForByACommand) {
  StuckJob job(AQUEDUCT_STANDSTILL, {});
  job.explained();
  ::kill(job.process().pid(), SIGUSR1);
  const std::string words = "lines of source for these stacks: aqueduct explain ";
  const std::vector<std::string> lines = job.process().wait_for_lines(words, 1, kLineTestsPatience);
  ASSERT_EQ(lines.size(), 1u);
  const std::string number = lines[0].substr(lines[0].find(words) + words.size());
  expect_lines(run({AQUEDUCT_LAUNCHER, "explain", number}).all());
}

}  // namespace
}  // namespace aqueduct::test
