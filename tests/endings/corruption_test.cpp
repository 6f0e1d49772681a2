// Whoever reads what a neighbour writes finds what it cannot have written, and names that neighbour: nobody
// crashes in its place.
#include <gtest/gtest.h>

#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

struct Damage {
  const char* name;
  const char* what;
  const char* writer = "rank 1";
  const char* conduit = "smp";
};
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class Corruption : public ::testing::TestWithParam<Damage> {};

TEST_P(Corruption, IsFoundByTheReaderWhoNamesTheWriter) {
  const Outcome outcome = run({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--conduit", GetParam().conduit,
                               AQUEDUCT_VANDAL, GetParam().what},
                              {"GASNET_BACKTRACE=0"});
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find("(proc 0)"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("shared memory is corrupted"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(std::string("look for a stray write in ") + GetParam().writer),
            std::string::npos)
      << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, Corruption,
    ::testing::Values(Damage{"MediumLargerThanItsArea", "large-medium"},
                      Damage{"MediumLargerThanTheSmallArea", "small-medium"},
                      Damage{"MediumInNoArea", "medium-elsewhere"}, Damage{"LongOutsideTheSegment", "long"},
                      Damage{"NoCategory", "category"}, Damage{"TooManyArguments", "arguments"},
                      Damage{"ARequestOfAnotherTime", "lap"}, Damage{"AnAnswerTooLarge", "answer"},
                      Damage{"AnAnswerThatIsNone", "answer-state"}, Damage{"MoreHandledThanSent", "handled"},
                      Damage{"MoreLanesThanThereAre", "lanes"}, Damage{"AStampOfTheFuture", "stamp"},
                      Damage{"APieceOfTheFuture", "piece"}, Damage{"ASourceOutsideTheSegment", "place"},
                      Damage{"ADestinationOutsideTheSegment", "destination"},
                      Damage{"AHeaderLongerThanASlot", "ring", "node 1", "wire"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace aqueduct::test
