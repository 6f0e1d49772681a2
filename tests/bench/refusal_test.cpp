// What cannot be measured as asked is refused in one line, with code 2.
#include <gtest/gtest.h>

#include "tool.hpp"

namespace aqueduct::test {
namespace {

struct Mistake {
  const char* name;
  const char* arguments;
  const char* says;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class Refusal : public testing::TestWithParam<Mistake> {};

TEST_P(Refusal, IsOneLineAndCodeTwo) {
  std::vector<std::string> arguments = words(GetParam().arguments);
  arguments.insert(arguments.begin(), "bench");
  const Outcome outcome = tool(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
}

const Mistake kMistakes[] = {
    {"NoName", "", "which benchmark?"},
    {"UnknownName", "put-latenci", "unknown benchmark 'put-latenci'"},
    {"OneRankForTwo", "put-latency -n 1", "needs at least 2 ranks, not 1"},
    {"NoRanks", "barrier -n 0", "-n: '0' is not a number from 1 to 1048576"},
    {"TooManyRanks", "barrier -n 1048577", "-n: '1048577'"},
    {"GarbageRanks", "barrier -n 2x", "-n: '2x'"},
    {"SizeZero", "put-latency --sizes 0", "--sizes: '0'"},
    {"SizeGarbage", "put-latency --sizes 8,huge", "--sizes: '8,huge'"},
    {"SizeNegative", "put-latency --sizes=-8", "--sizes: '-8'"},
    {"SizeListWithHole", "put-latency --sizes 8,,16", "--sizes: '8,,16'"},
    {"SizeTooLarge", "put-latency --sizes 2G", "--sizes: '2G'"},
    {"SizeOverflow", "put-latency --sizes 99999999999999999999G", "--sizes:"},
    {"SizesOfBarrier", "barrier --sizes 8", "barrier has no --sizes"},
    {"SizesOfShort", "am-latency --sizes 8", "has no --sizes with --kind short"},
    {"MediumTooLarge", "am-latency --kind medium --sizes 16M", "a medium message carries at most"},
    {"TableTooSmall", "random-access --sizes 4", "at least 8 bytes"},
    {"TableOfNoPowerOfTwo", "random-access --sizes 3000",
     "a power of two, not 3000 bytes; the nearest are 2048 and"},
    {"TableTooLarge", "random-access -n 65536 --sizes 1G", "at most half of the memory"},
    {"LookAheadTooLong", "random-access --look-ahead 1025",
     "--look-ahead: '1025' is not a number from 1 to 1024"},
    {"LookAheadOfBarrier", "barrier --look-ahead 5", "barrier has no --look-ahead"},
    {"VersionGarbage", "random-access --version telepathy",
     "--version: random-access knows active-messages, aggreg"},
    {"VersionOfPut", "put-latency --version velo", "put-latency has no --version"},
    {"VersionAndKind", "random-access --version velo --kind velo", "one of them is enough"},
    {"KindGarbage", "am-latency --kind tall", "short, medium, long, echo, not 'tall'"},
    {"KindOfPut", "put-latency --kind short", "put-latency has no --kind"},
    {"ModeGarbage", "limits --mode both", "--mode: seq or par, not 'both'"},
    {"ThreadsInSeq", "am-latency --threads 2 --mode seq", "needs --mode par"},
    {"ThreadsOfBarrier", "barrier --threads 2", "barrier has no --threads"},
    {"NoRepetitions", "limits --repetitions 0", "--repetitions: '0'"},
    {"UnknownConduit", "limits --conduit pigeon", "there is no conduit 'pigeon'"},
    {"ConduitTooSmall", "limits --conduit loopback", "conduit 'loopback' cannot be used"},
    {"UnknownBinding", "limits --bind tight", "'tight'"},
    {"UnwritableFile", "limits --json /nowhere/at/all", "--json: cannot write /nowhere/at/all"},
    {"WindowGarbage", "put-bandwidth --window much", "--window: 'much' is not a size such as 256M"},
    {"WindowOfBarrier", "barrier --window 1M", "barrier has no --window"},
    {"WindowAgainst", "put-bandwidth --window 1M --against raw", "put-bandwidth with --against has no"},
    {"DeviceClassGarbage", "put-latency --device-class tpu", "cuda, hip or ze, not 'tpu'"},
    {"DeviceClassOfHost", "put-latency --device-class cuda", "needs --local-memory device or"},
    {"AgainstGarbage", "am-latency --against rope", "--against: only raw, not 'rope'"},
    {"AgainstOfReduction", "reduce --against raw", "reduce has no --against"},
    {"AgainstWithThreads", "am-latency --against raw --threads 2 --mode par", "with one thread only"},
    {"PeersOfBarrier", "barrier -n 3 --peers 2", "barrier has no --peers"},
    {"PeersGarbage", "put-flood --peers all", "--peers: 'all' is not a number from 1 to 255"},
    {"MorePeersThanRanks", "am-flood -n 3 --peers 3", "--peers: 3 need -n 4 at least"},
    {"AgainstNothing", "am-latency --against raw --conduit smp", "smp has no bare interface"},
    {"ErrorWhereNoneCanBe", "limits --inject-error", "limits has no --inject-error"},
};

INSTANTIATE_TEST_SUITE_P(Of, Refusal, testing::ValuesIn(kMistakes),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace aqueduct::test
