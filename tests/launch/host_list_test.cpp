// Lists of hosts as users write them, and where ranks go.
#include "hosts/host_list.hpp"

#include <gtest/gtest.h>

namespace {

using namespace aqueduct;
using namespace aqueduct::job;

std::string in_words(const HostList& list) {
  if (!list.error.empty()) return list.error;
  std::string text;
  for (const ListedHost& host : list.hosts)
    text += (text.empty() ? "" : " ") + host.name + "=" + std::to_string(host.slots);
  return text;
}
std::string hosts(const char* text) { return in_words(parse_hosts(text, "--hosts")); }
std::string file(const char* text) { return in_words(parse_hostfile(text, "F")); }

TEST(HostList, NamesAndSlots) {
  EXPECT_EQ(hosts("a"), "a=0");
  EXPECT_EQ(hosts("a,b:4"), "a=0 b=4");
  EXPECT_EQ(hosts(" me@b.example.org:16 , c "), "me@b.example.org=16 c=0");
  EXPECT_EQ(hosts("a,b\n"), "a=0 b=0");
  EXPECT_EQ(hosts("a\nb"), "--hosts: 'a?b' is no name of a host");
  EXPECT_EQ(hosts("192.0.2.1:2,[2001:db8::1]:4,2001:db8::2,[::1]"),
            "192.0.2.1=2 2001:db8::1=4 2001:db8::2=0 ::1=0");
}

TEST(HostList, ARepeatedNameHasSoManySlots) {
  EXPECT_EQ(hosts("a,b,a,a"), "a=3 b=0");
  EXPECT_EQ(file("a\na\nb\n"), "a=2 b=0");
}

TEST(HostList, ContradictionsAreRefused) {
  EXPECT_EQ(hosts("a:2,b,a:3"),
            "--hosts: host a is listed twice, with 2 slots (--hosts) and with 3 slots; list it once");
  EXPECT_EQ(hosts("a,a:3"),
            "--hosts: host a is listed twice, without slots (--hosts) and with 3 slots; list it once");
  EXPECT_EQ(file("a slots=2\n\na\n"),
            "F:3: host a is listed twice, with 2 slots (F:1) and without slots; list it once");
}

TEST(HostList, FilesHaveCommentsAndBothWaysToGiveSlots) {
  EXPECT_EQ(file("# all of them\na slots=4\n\n  b:2  # two\r\nc\t slots=1"), "a=4 b=2 c=1");
}

TEST(HostList, ErrorsOfFilesNameTheLine) {
  EXPECT_EQ(file("a\nb slots=x\n"), "F:2: 'slots=x': after a host may come slots=N, 1 to 1048576");
  EXPECT_EQ(file("a\n\nb max=3\n"), "F:3: 'max=3': after a host may come slots=N, 1 to 1048576");
  EXPECT_EQ(file("b:2 slots=2"), "F:1: the slots of b are given twice");
  EXPECT_EQ(file("b:0"), "F:1: 'b:0': '0' is no number of slots, 1 to 1048576");
  EXPECT_EQ(file("# none\n"), "F: no host is listed there");
  EXPECT_EQ(file("-x"), "F:1: '-x' is no name of a host");
  EXPECT_EQ(file("a;b"), "F:1: 'a;b' is no name of a host");
  EXPECT_EQ(file("[::1"), "F:1: '[::1' has no closing bracket");
}

std::string placed(const char* list, RankId ranks, bool may_oversubscribe = false) {
  const Placement placement = place_ranks(parse_hosts(list, "--hosts").hosts, ranks, may_oversubscribe);
  if (!placement.error.empty()) return placement.error;
  std::string text;
  for (const Placement::Host& host : placement.hosts)
    text += (text.empty() ? "" : " ") + host.name + "=" + describe_ranks(host.ranks);
  EXPECT_EQ(placement.layout.hosts(), placement.hosts.size());
  return text;
}

TEST(HostPlacement, WithoutSlotsBlocksAreEven) {
  EXPECT_EQ(placed("a,b", 4), "a=0-1 b=2-3");
  EXPECT_EQ(placed("a,b,c", 5), "a=0-1 b=2-3 c=4");
  EXPECT_EQ(placed("a,b,c", 2), "a=0 b=1");
}

TEST(HostPlacement, WithSlotsHostsAreFilled) {
  EXPECT_EQ(placed("a:4,b:4", 5), "a=0-3 b=4");
  EXPECT_EQ(placed("a:4,b:4", 3), "a=0-2");
  EXPECT_EQ(placed("a,b:2", 0), "a=0 b=1-2");
}

TEST(HostPlacement, MoreRanksThanSlotsMustBeAskedFor) {
  EXPECT_EQ(placed("a:1,b:1", 5),
            "5 ranks do not fit in the 2 slots of the hosts; list more, or give --oversubscribe");
  EXPECT_EQ(placed("a:1,b:1", 5, true), "a=0-2 b=3-4");
}

TEST(HostPlacement, ThereMustBeANumberOfRanks) {
  EXPECT_EQ(placed("a,b", 0), "the number of ranks is missing: -n N, or slots for the hosts");
}

TEST(HostPlacement, ThisMachineIsKnownByItsNames) {
  EXPECT_TRUE(is_this_machine("localhost"));
  EXPECT_TRUE(is_this_machine("127.0.0.1"));
  EXPECT_FALSE(is_this_machine("me@localhost"));
  EXPECT_FALSE(is_this_machine("no-such-host"));
}

}  // namespace
