// What `aqueduct figures` leaves in a directory: data as JSON, drawings as SVG and PNG, and pages.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "study.hpp"

namespace aqueduct::figures {

/// Files of one command. The first that cannot be written is remembered; nothing is written after it.
class Output {
 public:
  explicit Output(std::filesystem::path directory) : directory_(std::move(directory)) {}

  void store(const std::string& name, const std::string& text);
  /// NAME.svg, and NAME.png where there is a program for that.
  void store_drawing(const std::string& name, const std::string& svg);

  /// Why a file could not be written; empty if all were.
  const std::string& complaint() const { return complaint_; }
  /// "DIR: figure3.json, figure3.svg, ...", and whether there are PNG files.
  std::string summary() const;

 private:
  std::filesystem::path directory_;
  std::string written_;
  std::string complaint_;
  bool has_drawings_ = false;
};

/// The data and drawings of each figure, criteria.json, criteria.md (the table of the documents) and
/// STUDY.html.
void store_study(Output& output, const Study& study, const Found& found, const sim::NetworkModel& model);

}  // namespace aqueduct::figures
