// The judgements of `aqueduct doctor`, as pure functions, so that each has a test.
#pragma once
#include <string>
#include <vector>

#include "base/types.hpp"
#include "doctor/facts.hpp"

namespace aqueduct::doctor {

enum class FindingLevel {
  kOk,
  kNote,     ///< worth knowing; nothing fails because of it
  kWarning,  ///< some jobs will be slow or fail
  kProblem,  ///< jobs will fail
};

struct Finding {
  FindingLevel level = FindingLevel::kOk;
  std::string subject;  ///< "cores"
  std::string what;
  std::string fix;  ///< what to do about it; empty if nothing
};

/// Judges one host, for a job with so many ranks there.
std::vector<Finding> judge_host(const Facts& facts, RankId ranks);

/// Judges several hosts together: networks that do not fit each other.
std::vector<Finding> judge_hosts(const std::vector<Facts>& hosts);

bool has_problem(const std::vector<Finding>& findings);

/// A line for each, and one for its fix.
std::string as_text(const std::vector<Finding>& findings);

}  // namespace aqueduct::doctor
