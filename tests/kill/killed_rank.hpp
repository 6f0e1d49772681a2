// A rank of a job in traffic over a network that is killed: the launcher's line, and none of a library's.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "support/process.hpp"

namespace aqueduct::test {

/// `command` runs four ranks of tests/kill/traffic.cpp.
inline void expect_one_line_when_a_rank_is_killed(std::vector<std::string> command,
                                                  std::vector<std::string> settings) {
  Process job(std::move(command), std::move(settings));
  const std::vector<std::string> lines = job.wait_for_lines("is process", 4, 60);
  ASSERT_EQ(lines.size(), 4u) << "the traffic did not begin";
  for (const std::string& line : lines) {
    unsigned rank = 0;
    int pid = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "rank %u is process %d", &rank, &pid), 2);
    if (rank == 2) kill(pid, SIGKILL);
  }
  const Outcome outcome = job.finish(60);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
  const std::vector<std::string> said = lines_of(outcome.err);
  ASSERT_EQ(said.size(), 1u) << outcome.err;
  EXPECT_NE(said[0].find("rank 2 was killed by signal 9"), std::string::npos) << said[0];
}

}  // namespace aqueduct::test
