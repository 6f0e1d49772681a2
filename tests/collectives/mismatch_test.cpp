// Collectives called wrongly end the job of a debug client with one line: the call, the rank, the argument.
#include <gtest/gtest.h>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

struct Mistake {
  const char* name;
  const char* function;
  const char* says;
};

const Mistake kMistakes[] = {
    {"root_outside", "gex_Coll_BroadcastNB", "root 99 is outside the team"},
    {"no_such_operation", "gex_Coll_ReduceToAllNB", "no reduction with op"},
    {"bits_of_fractions", "gex_Coll_ReduceToAllNB", "no reduction with op"},
    {"size_of_other_type", "gex_Coll_ReduceToAllNB", "dt_sz is 8"},
    {"no_elements", "gex_Coll_ReduceToAllNB", "dt_cnt is 0"},
    {"own_type_built_in_operation", "gex_Coll_ReduceToAllNB", "GEX_DT_USER needs op"},
    {"no_function", "gex_Coll_ReduceToAllNB", "user_op is NULL"},
    {"no_source", "gex_Coll_BroadcastNB", "src is NULL"},
    {"no_destination", "gex_Coll_BroadcastNB", "dst is NULL"},
    {"two_in_flags", "gasnet_coll_gather_all_nb", "exactly one of GASNET_COLL_IN_"},
    {"event_twice", "gex_Event_Wait", "has been completed before"},
    {"event_twice_after_another", "gex_Event_Wait", "has been completed before"},
    {"other_root", "gex_Coll_BroadcastNB", "mismatched collectives: root is"},
    {"nobody_is_root", "gex_Coll_BroadcastNB", "mismatched collectives: root is"},
    {"other_size", "gex_Coll_BroadcastNB", "mismatched collectives: nbytes is"},
    {"small_and_large", "gex_Coll_BroadcastNB", "mismatched collectives: nbytes is"},
    {"other_type", "gex_Coll_ReduceToAllNB", "mismatched collectives: dt is"},
    {"other_count", "gex_Coll_ReduceToAllNB", "mismatched collectives: dt_cnt is"},
    {"other_operation", "gex_Coll_ReduceToAllNB", "mismatched collectives: op is"},
    {"other_call", "gex_Coll_", "mismatched collectives: a "},
    {"barrier_and_broadcast", "gex_Coll_B", "mismatched collectives: a b"},
    {"split_and_reduction", "gex_", "mismatched collectives: "},
};

TEST(MismatchedCollectives, AreReportedWhereTheyWereCalled) {
  const Outcome outcome = run({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_MISMATCH, "found_later"});
  const auto called = lines_with(outcome.out, "called in line ");
  ASSERT_FALSE(called.empty()) << outcome.all();
  const std::string position = "mismatch.cpp:" + called[0].substr(called[0].rfind(' ') + 1) + ":";
  EXPECT_NE(outcome.err.find(position), std::string::npos) << "not at " << position << " " << outcome.all();
}

TEST(MismatchedCollectives, EndTheJobWithOneLineThatNamesCallRankAndArgument) {
  for (const Mistake& mistake : kMistakes) {
    const Outcome outcome = run({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_MISMATCH, mistake.name});
    SCOPED_TRACE(mistake.name + std::string(": ") + outcome.all());
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.exit_code, 1);
    ASSERT_EQ(lines_of(outcome.err).size(), 1u);
    const std::string line = lines_of(outcome.err)[0];
    EXPECT_NE(line.find("(proc "), std::string::npos);
    EXPECT_NE(line.find(mistake.function), std::string::npos);
    EXPECT_NE(line.find(mistake.says), std::string::npos);
    EXPECT_NE(line.find("mismatch.cpp:"), std::string::npos);
  }
}

}  // namespace
}  // namespace aqueduct::test
