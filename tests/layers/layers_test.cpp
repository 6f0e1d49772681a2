// The layers of the library, held to their order: draws the matrix of which folder of src includes which, or
// declares its names, and fails on an arrow that points upward. Without one there is no cycle either.
//
// What counts: #include "folder/file.hpp", and a forward declaration of another folder's class (a namespace
// aqueduct::folder that a file of another folder opens only to declare a name), which hides the same arrow.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// From the bottom to the top; docs/architecture.md says what each of them is.
constexpr std::array kLayers = {"base",   "tools",    "trace", "observe",    "net",   "job",
                                "fabric", "world",    "sim",   "am",         "parts", "conduit",
                                "core",   "extended", "api",   "diagnostics"};

int height(const std::string& layer) {
  for (std::size_t i = 0; i < kLayers.size(); ++i) {
    if (layer == kLayers[i]) return static_cast<int>(i);
  }
  return -1;
}

struct Arrow {
  std::string from, to, where;
};

void read_arrows(const fs::path& file, const std::string& from, std::vector<Arrow>& arrows) {
  static const std::regex kInclude(R"re(^#include "([a-z0-9_]+)/)re");
  static const std::regex kOpen(R"re(^namespace aqueduct::([a-z0-9_]+))re");
  static const std::regex kDeclaration(
      R"re(^\s*(class|struct|enum class|enum) [A-Za-z0-9_]+( *: *[a-z0-9_:]+)?;)re");
  std::ifstream in(file);
  std::string line, space;
  std::smatch match;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    std::string to;
    if (std::regex_search(line, match, kInclude)) to = match[1];
    if (std::regex_search(line, match, kOpen)) space = match[1];
    if (line.starts_with('}')) space.clear();
    if (std::regex_search(line, kDeclaration)) to = space;
    if (to != from && height(to) >= 0)
      arrows.push_back({from, to, file.string() + ":" + std::to_string(number) + ": " + line});
  }
}

std::vector<Arrow> all_arrows(const fs::path& root) {
  std::vector<Arrow> arrows;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string kind = entry.path().extension().string();
    if (kind != ".hpp" && kind != ".cpp" && kind != ".h" && kind != ".c") continue;
    read_arrows(entry.path(), fs::relative(entry.path(), root).begin()->string(), arrows);
  }
  return arrows;
}

void draw(const std::vector<Arrow>& arrows) {
  std::map<std::pair<std::string, std::string>, unsigned> count;
  for (const Arrow& arrow : arrows) ++count[{arrow.from, arrow.to}];
  std::printf("%-10s", "");
  for (const char* to : kLayers) std::printf("%9s", to);
  for (auto from = kLayers.rbegin(); from != kLayers.rend(); ++from) {
    std::printf("\n%-10s", *from);
    for (const char* to : kLayers) {
      const auto found = count.find({*from, to});
      found == count.end() ? std::printf("%9s", ".") : std::printf("%9u", found->second);
    }
  }
  std::printf("\n");
}

TEST(Layers, EveryFolderIsALayer) {
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(AQUEDUCT_SOURCES)) {
    if (!entry.is_directory()) continue;
    ++folders;
    EXPECT_GE(height(entry.path().filename()), 0) << entry.path() << " has no place among the layers";
  }
  EXPECT_EQ(folders, kLayers.size()) << "a layer has no folder";
}

TEST(Layers, ArrowsPointDownward) {
  const std::vector<Arrow> arrows = all_arrows(AQUEDUCT_SOURCES);
  draw(arrows);
  EXPECT_GT(arrows.size(), 300u) << "the test has lost its eyes";
  for (const Arrow& arrow : arrows)
    EXPECT_GT(height(arrow.from), height(arrow.to))
        << arrow.where << ": " << arrow.from << " is below " << arrow.to;
}

// Conduits are seen through their contract alone, and know nothing of the core.
TEST(Layers, TheCoreSeesConduitsThroughTheContract) {
  const std::set<std::string> contract = {"conduit/conduit.hpp", "conduit/registry.hpp"};
  static const std::regex kInclude(R"re("(conduit/[^"]+)")re");
  std::set<std::string> seen;
  for (const Arrow& arrow : all_arrows(AQUEDUCT_SOURCES)) {
    std::smatch match;
    if (arrow.to != "conduit" || !std::regex_search(arrow.where, match, kInclude)) continue;
    EXPECT_TRUE(contract.contains(match[1])) << arrow.where;
    seen.insert(match[1]);
  }
  EXPECT_EQ(seen, contract) << "the test does not see what it judges";
}

// The test must see what it looks for.
TEST(Layers, AnUpwardArrowIsSeen) {
  const fs::path file = fs::path(testing::TempDir()) / "upward.hpp";
  std::ofstream(file) << "#include \"core/rank.hpp\"\nnamespace aqueduct::core {\nclass Rank;\n}\n"
                         "namespace aqueduct::base {\nclass Own;\n}\n";
  std::vector<Arrow> arrows;
  read_arrows(file, "base", arrows);
  fs::remove(file);
  ASSERT_EQ(arrows.size(), 2u);
  for (const Arrow& arrow : arrows) EXPECT_EQ(arrow.to, "core");
}

}  // namespace
