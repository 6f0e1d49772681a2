// Hosts and neighbourhoods: what a program is told of them is what the layout says, and messages, puts and
// gets find their way inside a host and between hosts.
#include <cstdlib>
#include <string>
#include <vector>

#include "job/place/layout.hpp"
#include "support/pattern.hpp"
#include "support/rma.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Hosts = Spmd;

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

job::Layout hosts() {
  const std::string text = setting("AQUEDUCT_LAYOUT");
  if (text.empty()) return job::Layout::one_host(job().size);
  std::string why;
  return job::Layout::parse(text, job().size, &why).value();
}

// Without a word of the user's, smp has neighbours and the others have none.
job::Layout neighbourhoods() {
  const std::string most = setting("GASNET_SUPERNODE_MAXSIZE");
  if (!most.empty()) return hosts().split(static_cast<RankId>(std::stoul(most)));
  const bool together = !setting("AQUEDUCT_LAYOUT").empty() || setting("AQUEDUCT_CONDUIT") == "smp";
  return hosts().split(together ? 0 : 1);
}

void expect_members(const job::Layout& layout, const gex_RankInfo_t* info, gex_Rank_t count, gex_Rank_t me) {
  const job::HostId host = layout.host_of(job().rank);
  ASSERT_EQ(count, layout.local_size(host));
  EXPECT_EQ(me, layout.local_rank_of(job().rank));
  for (gex_Rank_t local = 0; local < count; ++local)
    EXPECT_EQ(info[local].gex_jobrank, layout.rank_at(host, local));
}

TEST_F(Hosts, QueriesTellTheLayout) {
  gex_RankInfo_t* info = nullptr;
  gex_Rank_t count = 0, me = 0;
  gex_System_QueryNbrhdInfo(&info, &count, &me);
  expect_members(neighbourhoods(), info, count, me);
  gex_System_QueryHostInfo(&info, &count, &me);
  expect_members(hosts(), info, count, me);
  gex_Rank_t nbrhds = 0, nbrhd = 0, host_count = 0, host = 0;
  gex_System_QueryMyPosition(&nbrhds, &nbrhd, &host_count, &host);
  EXPECT_EQ(nbrhds, neighbourhoods().hosts());
  EXPECT_EQ(nbrhd, neighbourhoods().host_of(job().rank));
  EXPECT_EQ(host_count, hosts().hosts());
  EXPECT_EQ(host, hosts().host_of(job().rank));
}

TEST_F(Hosts, SegmentsAreSharedInsideAHostAndNotBetweenHosts) {
  const job::Layout layout = neighbourhoods();
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    void* here = nullptr;
    ASSERT_EQ(gex_Segment_QueryBound(job().tm, rank, nullptr, &here, nullptr), GASNET_OK);
    EXPECT_EQ(here != nullptr, layout.host_of(rank) == layout.host_of(job().rank)) << "rank " << rank;
  }
}

TEST_F(Hosts, PutsAndGetsReachEveryRank) {
  for (unsigned round = 0; round < 3; ++round) {
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      std::byte data[200];
      fill(data, sizeof data, key_of(job().rank, rank) + round);
      gex_RMA_PutBlocking(job().tm, rank, remote(rank, 256 * job().rank), data, sizeof data, 0);
      std::byte back[200] = {};
      gex_RMA_GetBlocking(job().tm, back, rank, remote(rank, 256 * job().rank), sizeof back, 0);
      EXPECT_TRUE(holds(back, sizeof back, key_of(job().rank, rank) + round));
    }
    barrier();
    for (gex_Rank_t rank = 0; rank < job().size; ++rank)
      EXPECT_TRUE(holds(local(256 * rank), 200, key_of(rank, job().rank) + round));
    barrier();
  }
}

}  // namespace
}  // namespace aqueduct::test
