// Layouts: which ranks are on which host.
#include "job/place/layout.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aqueduct::job {
namespace {

Layout parsed(const std::string& text, RankId size) {
  std::string why;
  const std::optional<Layout> layout = Layout::parse(text, size, &why);
  EXPECT_TRUE(layout) << text << ": " << why;
  return layout.value_or(Layout());
}

std::string refused(const std::string& text, RankId size) {
  std::string why;
  EXPECT_FALSE(Layout::parse(text, size, &why)) << text;
  return why;
}

// What holds of every layout, given where each rank is.
void expect_sound(const Layout& layout, const std::vector<std::uint32_t>& host_of) {
  ASSERT_EQ(layout.size(), host_of.size());
  RankId total = 0, largest = 0;
  for (HostId host = 0; host < layout.hosts(); ++host) {
    ASSERT_GT(layout.local_size(host), 0u);
    total += layout.local_size(host);
    largest = std::max(largest, layout.local_size(host));
    for (RankId local = 0; local < layout.local_size(host); ++local) {
      const RankId rank = layout.rank_at(host, local);
      EXPECT_EQ(layout.host_of(rank), host);
      EXPECT_EQ(layout.local_rank_of(rank), local);
      EXPECT_EQ(host_of[rank], host_of[layout.rank_at(host, 0)]);
      if (local != 0) {
        EXPECT_GT(rank, layout.rank_at(host, local - 1));
      }
    }
    if (host != 0) {
      EXPECT_GT(layout.rank_at(host, 0), layout.rank_at(host - 1, 0)) << "hosts are in order";
    }
  }
  EXPECT_EQ(total, layout.size());
  EXPECT_EQ(layout.largest_host(), largest);
}

TEST(Layout, ReadsCountsAndLists) {
  expect_sound(parsed("2+4", 6), {0, 0, 1, 1, 1, 1});
  expect_sound(parsed("0,2,4/1,3,5", 6), {0, 1, 0, 1, 0, 1});
  expect_sound(parsed("4-5,0/1-3", 6), {0, 1, 1, 1, 0, 0});
  EXPECT_EQ(parsed("3+3+2", 8), Layout::blocks(8, 3));
  EXPECT_EQ(parsed("6", 6), Layout::one_host(6));
  EXPECT_EQ(parsed("0-2/3-5", 6), Layout::blocks(6, 3)) << "what is regular needs no table";
}

TEST(Layout, SaysWhatIsWrong) {
  EXPECT_EQ(refused("0,1/1,2", 3), "rank 1 is on host 0 and on host 1");
  EXPECT_EQ(refused("0/2", 3), "rank 1 is on no host");
  EXPECT_EQ(refused("0//1", 2), "host 1 has no ranks");
  EXPECT_EQ(refused("2+0+1", 3), "host 1 has no ranks");
  EXPECT_EQ(refused("2+2", 3), "it places 4 ranks, and the job has 3");
  EXPECT_EQ(refused("0-7/8", 8), "rank 8 is not one of the job's 8");
  EXPECT_EQ(refused("two", 2), "'two' is not a number of ranks");
  EXPECT_EQ(refused("", 2), "'' is not a number of ranks");
  EXPECT_EQ(refused("3-1/0", 4), "'3-1' is not a rank or range");
  EXPECT_EQ(refused("99999999999", 2), "'99999999999' is not a number of ranks");
}

TEST(Layout, SplitsHosts) {
  EXPECT_EQ(Layout::one_host(6).split(4), parsed("4+2", 6));
  EXPECT_EQ(parsed("3+3", 6).split(2), parsed("2+1+2+1", 6));
  EXPECT_EQ(parsed("0,2,4/1,3,5", 6).split(2), parsed("0,2/4/1,3/5", 6));
  EXPECT_EQ(parsed("4+4", 8).split(0), parsed("4+4", 8));
  EXPECT_EQ(Layout::one_host(4).split(1).hosts(), 4u);
}

TEST(Layout, AnyIsSoundAndSurvivesItsText) {
  std::mt19937 random(1);
  for (unsigned run = 0; run < 300; ++run) {
    const RankId size = 1 + random() % 40;
    const unsigned hosts = 1 + random() % 6;
    std::vector<std::uint32_t> host_of(size);
    for (std::uint32_t& host : host_of) host = 1000 - random() % hosts;
    if (run % 3 == 0) std::sort(host_of.begin(), host_of.end());
    const Layout layout = Layout::of(host_of);
    expect_sound(layout, host_of);
    EXPECT_EQ(parsed(layout.text(), size), layout) << layout.text();
    EXPECT_EQ(parsed(layout.text(), size).digest(), layout.digest());
    bool consecutive = true;
    for (RankId rank = 1; rank < size; ++rank)
      consecutive &= layout.host_of(rank) >= layout.host_of(rank - 1);
    EXPECT_EQ(layout.is_consecutive(), consecutive);
  }
}

TEST(Layout, AMillionRanksOnRegularHostsKeepNothing) {
  const Layout layout = Layout::blocks(1u << 20, 64);
  EXPECT_EQ(layout.hosts(), 1u << 14);
  EXPECT_EQ(layout.host_of(64 * 77 + 5), 77u);
  EXPECT_EQ(layout.local_rank_of(64 * 77 + 5), 5u);
}

}  // namespace
}  // namespace aqueduct::job
