// The files of `aqueduct figures`: data as JSON, drawings as SVG and PNG, and pages.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "falsification.hpp"
#include "study.hpp"

namespace aqueduct::figures {

/// Writes the files of one command. Stops after the first file that cannot be written, and keeps the reason.
class Output {
 public:
  explicit Output(std::filesystem::path directory) : directory_(std::move(directory)) {}

  void store(const std::string& name, const std::string& text);
  /// Stores NAME.svg, and NAME.png if a program for that is installed.
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
/// STUDY.html, with the matrix of falsification if there is one.
void store_study(Output& output, const Study& study, const Found& found, const sim::NetworkModel& model,
                 const Falsification* falsification = nullptr);
/// falsification.json, falsification.md (the tables of the documents) and the drawing.
void store_falsification(Output& output, const Study& study, const Falsification& falsification);

}  // namespace aqueduct::figures
