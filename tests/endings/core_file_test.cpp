// A crash leaves a small core file, soon, whatever the number of ranks, and the line names the true cause.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/process.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;

/// Whether the kernel writes core files into the current folder.
bool core_files_are_plain() {
  std::ifstream file("/proc/sys/kernel/core_pattern");
  std::string pattern;
  std::getline(file, pattern);
  return !pattern.empty() && pattern[0] != '|' && pattern.find('/') == std::string::npos;
}

class CoreFile : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized || !core_files_are_plain()) GTEST_SKIP() << "no core files to look at";
    std::string name = fs::temp_directory_path() / "aqueduct-core-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  /// Runs a job whose rank 1 leaves so. The limit keeps a core file that is too large from filling the disk.
  Outcome crash(int ranks, const std::string& how) {
    return run({"sh", "-c",
                "cd " + folder_.string() + " && ulimit -c 200000 && exec " AQUEDUCT_LAUNCHER " run -n " +
                    std::to_string(ranks) + " " AQUEDUCT_LEAVING " " + how});
  }
  /// The only core file there is.
  fs::path core_file() {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_TRUE(found.empty()) << "more than one core file";
      found = entry.path();
    }
    return found;
  }

  fs::path folder_;
};

TEST_F(CoreFile, IsSmallAndHoldsTheSegmentsData) {
  for (const int ranks : {2, 8}) {
    const Outcome outcome = crash(ranks, "abort");
    EXPECT_EQ(outcome.exit_code, 128 + 6) << outcome.err;
    EXPECT_EQ(outcome.err.find("aqueduct: rank 1 was killed by signal 6 (Aborted) and left a core file;"), 0u)
        << outcome.err;
    const fs::path core = core_file();
    ASSERT_FALSE(core.empty());
    EXPECT_LT(fs::file_size(core), 32u << 20);
    std::ifstream file(core, std::ios::binary);
    std::stringstream content;
    content << file.rdbuf();
    EXPECT_NE(content.str().find("written by rank 1 to its segment"), std::string::npos);
    EXPECT_EQ(content.str().find("written by rank 0 to its segment"), std::string::npos);
    fs::remove(core);
  }
}

}  // namespace
}  // namespace aqueduct::test
