// aqueduct ps --all: root sees the jobs of all users, and nobody else does.
#include <pwd.h>
#include <unistd.h>

#include <filesystem>

#include "command.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOther = "65534";  // nobody, or at least not root

/// The tool where everybody may run it: the build may lie in a folder of root's.
class PsOfAll : public testing::Test {
 protected:
  PsOfAll() : folder_(fs::temp_directory_path() / ("aqueduct-ps-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    fs::permissions(folder_, fs::perms(0755));
    fs::copy_file(AQUEDUCT_TOOL, tool());
  }
  ~PsOfAll() override { fs::remove_all(folder_); }

  std::string tool() const { return (folder_ / "aqueduct").string(); }
  static bool is_root() { return geteuid() == 0; }
  /// Words that start a program as somebody else than root.
  std::vector<std::string> as_other(const std::vector<std::string>& words) const {
    std::vector<std::string> all;
    if (is_root())
      all = {"setpriv", std::string("--reuid=") + kOther, std::string("--regid=") + kOther, "--clear-groups"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

 private:
  fs::path folder_;
};

TEST_F(PsOfAll, IsRefusedToOthersInOneLine) {
  const Outcome outcome = run(as_other({tool(), "ps", "--all"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "aqueduct ps: --all: only root sees the jobs of all users\n");
}

TEST_F(PsOfAll, ShowsRootEverybodysWithTheirNames) {
  if (!is_root()) GTEST_SKIP() << "this test needs root, to be two users";
  const Process job(as_other({tool(), "run", "-n", "1", "sleep", "300"}));
  const std::string pid = std::to_string(job.pid());
  const std::vector<std::string> listed = wait_for_job("ps --all", pid);
  ASSERT_EQ(listed.size(), 1U);
  const passwd* const other = getpwuid(static_cast<uid_t>(std::stoul(kOther)));
  EXPECT_NE(listed[0].find(std::string(" ") + (other ? other->pw_name : kOther) + " "), std::string::npos)
      << listed[0];
  EXPECT_NE(lines_of(command("ps --all").out)[0].find("USER"), std::string::npos);
  const Outcome own = command("ps");
  EXPECT_EQ(lines_with(own.out, pid).size(), 0U) << own.out;
  // Programs of other jobs may have the word in their arguments.
  EXPECT_EQ(own.out.substr(0, own.out.find('\n')).find("USER"), std::string::npos) << own.out;
}

}  // namespace
}  // namespace aqueduct::test
