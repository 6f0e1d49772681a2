// What the documents say of the papers' figures, for tests that compare it with the data.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace aqueduct::figures {

struct Paper {
  const char* study;
  const char* document;
  const char* network;
  std::vector<const char*> models{};  ///< calibrated networks beside it
};

inline const Paper kPapers[] = {{"redstorm", "portals.md", "seastar-redstorm"},
                                {"portals", "portals_conduit.md", "seastar-xt4"},
                                {"aries", "aries_conduit.md", "aries-knl"},
                                {"extoll", "extoll.md", "extoll-fpga", {"udp-infiniband", "udp-uncached"}}};

inline std::string content(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string document(const std::string& name) {
  return content(std::string(SOURCE_DIRECTORY "/docs/") + name);
}

/// What `aqueduct figures all` has written of the study.
inline nlohmann::json criteria_of(const Paper& paper) {
  return nlohmann::json::parse(
      content(std::string(BINARY_DIRECTORY "/all_figures/") + paper.study + "/criteria.json"));
}

/// A row of a table, as cells without the blanks around them.
inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream text(line.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    found.push_back(first == std::string::npos ? ""
                                               : cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
  }
  return found;
}

}  // namespace aqueduct::figures
