// What `aqueduct sim` runs: a scenario, a recorded job, or a program of the user's.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "sim/process/process.hpp"
#include "simulate/settings.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::simulate {

/// A scenario, or a program and its arguments: a function of a shared object that all ranks call, or an
/// executable of which each rank has a process.
struct Subject {
  const scenarios::Scenario* scenario = nullptr;
  int (*program)(int argc, char** argv) = nullptr;
  std::shared_ptr<const process::Program> executable{};
  std::vector<std::string> words;
};

/// A rank's own copy of the arguments, which it may change as a process may.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    argv_.reserve(words_.size() + 1);
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
  }
  Arguments(const Arguments&) = delete;

  int argc() const { return static_cast<int>(words_.size()); }
  char** argv() { return argv_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
};

/// What the words of the command line name. `guess_of` says which option a mistyped one may have meant.
Subject find_subject(const SimOptions& options, const std::vector<std::string>& words,
                     const std::function<std::string(const std::string&)>& guess_of);
/// Refuses parameters that the subject does not have.
void check_parameters(const SimOptions& options, const Subject& subject);
/// The main of every rank, with arguments of its own. It keeps these; ranks that exit do not return.
/// `processes` are those of the subject, if it has any.
std::function<int(RankId)> main_of(const Subject& subject, const scenarios::Parameters& parameters,
                                   process::Processes* processes);

}  // namespace aqueduct::simulate
