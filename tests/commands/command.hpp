// `aqueduct` as a test types it.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/process.hpp"

namespace aqueduct::test {

/// `aqueduct ARGUMENTS`, where the arguments are words between blanks.
Outcome command(const std::string& arguments, std::vector<std::string> environment = {});

/// A job of two ranks of a program that uses the library and does little.
Outcome client_job(std::vector<std::string> environment);

/// The lines of `aqueduct ps` or `ps --all` about the job of that process, as soon as there are some; none if
/// none come.
std::vector<std::string> wait_for_job(const std::string& ps, const std::string& process);

}  // namespace aqueduct::test
