// What a program learns about its job, its client, its endpoint and its team.
#include <gasnet.h>

#include <limits>
#include <string>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Queries = Spmd;

bool endpoint_had_a_segment = true;
int bound_query_before_attach = GASNET_OK;
gex_Rank_t early_rank = GEX_RANK_INVALID, early_size = GEX_RANK_INVALID;
void* untouched = &early_rank;

// What a client may ask before it starts the library, to size its buffers; asked before main, and so before
// gex_Client_Init.
struct Limits {
  std::size_t request_medium = gex_AM_LUBRequestMedium();
  std::size_t reply_medium = gex_AM_LUBReplyMedium();
  std::size_t request_long = gex_AM_LUBRequestLong();
  std::size_t reply_long = gex_AM_LUBReplyLong();
  std::size_t medium = gasnet_AMMaxMedium();
  std::size_t long_request = gasnet_AMMaxLongRequest();
  std::size_t long_reply = gasnet_AMMaxLongReply();
  std::size_t arguments = gex_AM_MaxArgs();
  std::uint64_t threads = gex_System_QueryMaxThreads();
  int concurrency = gex_System_QueryHiddenAMConcurrencyLevel();
  bool operator==(const Limits&) const = default;
};
const Limits limits_before_start;

BeforeAttach observe_early([] {
  endpoint_had_a_segment = gex_EP_QuerySegment(job().ep) != GEX_SEGMENT_INVALID;
  bound_query_before_attach = gex_Segment_QueryBound(job().tm, job().rank, &untouched, nullptr, nullptr);
  early_rank = gex_System_QueryJobRank();
  early_size = gex_System_QueryJobSize();
});

TEST_F(Queries, JobRankAndSizeEqualThoseOfTheFirstTeam) {
  EXPECT_EQ(gex_System_QueryJobRank(), gex_TM_QueryRank(job().tm));
  EXPECT_EQ(gex_System_QueryJobSize(), gex_TM_QuerySize(job().tm));
  EXPECT_LT(gex_System_QueryJobRank(), gex_System_QueryJobSize());
  EXPECT_LT(gex_System_QueryJobSize(), GEX_RANK_INVALID);
  EXPECT_EQ(early_rank, job().rank);
  EXPECT_EQ(early_size, job().size);
}

TEST_F(Queries, TheJobHasAsManyRanksAsTheLauncherWasAskedFor) {
  ASSERT_NE(std::getenv("AQUEDUCT_TEST_RANKS"), nullptr);  // set beside the launcher's -n
  EXPECT_EQ(std::to_string(job().size), std::getenv("AQUEDUCT_TEST_RANKS"));
}

TEST_F(Queries, ASecondInitialisationAnswersNotInit) {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_EP_t ep = GEX_EP_INVALID;
  gex_TM_t tm = GEX_TM_INVALID;
  const QuietErrors quiet;
  EXPECT_EQ(gex_Client_Init(&client, &ep, &tm, "AGAIN", nullptr, nullptr, 0), GASNET_ERR_NOT_INIT);
  EXPECT_EQ(client, GEX_CLIENT_INVALID);
}

TEST_F(Queries, TheClientRemembersItsNameAndFlags) {
  EXPECT_STREQ(gex_Client_QueryName(job().client), "AQUEDUCT_TEST");
  EXPECT_EQ(gex_Client_QueryFlags(job().client), 0u);
}

TEST_F(Queries, EveryObjectKnowsItsOwner) {
  EXPECT_EQ(gex_EP_QueryClient(job().ep), job().client);
  EXPECT_EQ(gex_TM_QueryClient(job().tm), job().client);
  EXPECT_EQ(gex_TM_QueryEP(job().tm), job().ep);
  EXPECT_EQ(gex_Segment_QueryClient(job().segment), job().client);
  EXPECT_EQ(gex_EP_QuerySegment(job().ep), job().segment);
  EXPECT_EQ(gex_EP_QueryIndex(job().ep), 0);
}

TEST_F(Queries, AnEndpointHasNoSegmentBeforeAttach) {
  EXPECT_FALSE(endpoint_had_a_segment);
  EXPECT_NE(bound_query_before_attach, GASNET_OK);
  EXPECT_EQ(untouched, &early_rank) << "a failed query changed its output";
}

TEST_F(Queries, ClientDataStartsAsNullAndIsKeptPerObject) {
  EXPECT_EQ(gex_Client_QueryCData(job().client), nullptr);
  EXPECT_EQ(gex_EP_QueryCData(job().ep), nullptr);
  EXPECT_EQ(gex_TM_QueryCData(job().tm), nullptr);
  EXPECT_EQ(gex_Segment_QueryCData(job().segment), nullptr);
  int c, e, t, s;
  gex_Client_SetCData(job().client, &c);
  gex_EP_SetCData(job().ep, &e);
  gex_TM_SetCData(job().tm, &t);
  gex_Segment_SetCData(job().segment, &s);
  EXPECT_EQ(gex_Client_QueryCData(job().client), &c);
  EXPECT_EQ(gex_EP_QueryCData(job().ep), &e);
  EXPECT_EQ(gex_TM_QueryCData(job().tm), &t);
  EXPECT_EQ(gex_Segment_QueryCData(job().segment), &s);
  gex_TM_SetCData(job().tm, nullptr);
  EXPECT_EQ(gex_TM_QueryCData(job().tm), nullptr);
}

void expect_sorted_and_containing_me(gex_RankInfo_t* info, gex_Rank_t count, gex_Rank_t me) {
  ASSERT_GE(count, 1u);
  ASSERT_LT(me, count);
  EXPECT_EQ(info[me].gex_jobrank, gex_System_QueryJobRank());
  for (gex_Rank_t i = 1; i < count; ++i) EXPECT_LT(info[i - 1].gex_jobrank, info[i].gex_jobrank);
}

TEST_F(Queries, NeighbourhoodAndHostAreSortedByJobRankAndTheHostHoldsTheNeighbourhood) {
  gex_RankInfo_t *nbrhd = nullptr, *host = nullptr;
  gex_Rank_t nbrhd_count = 0, nbrhd_me = 0, host_count = 0, host_me = 0;
  gex_System_QueryNbrhdInfo(&nbrhd, &nbrhd_count, &nbrhd_me);
  gex_System_QueryHostInfo(&host, &host_count, &host_me);
  expect_sorted_and_containing_me(nbrhd, nbrhd_count, nbrhd_me);
  expect_sorted_and_containing_me(host, host_count, host_me);
  for (gex_Rank_t i = 0, j = 0; i < nbrhd_count; ++i, ++j) {
    while (j < host_count && host[j].gex_jobrank != nbrhd[i].gex_jobrank) ++j;
    EXPECT_LT(j, host_count) << "neighbour " << nbrhd[i].gex_jobrank << " is not on the host";
  }
}

TEST_F(Queries, AnyOutputOfTheLocalityQueriesMayBeNull) {
  gex_Rank_t count = 0, me = GEX_RANK_INVALID;
  gex_System_QueryNbrhdInfo(nullptr, &count, nullptr);
  EXPECT_GE(count, 1u);
  gex_System_QueryHostInfo(nullptr, nullptr, &me);
  EXPECT_LT(me, job().size);
  gex_System_QueryNbrhdInfo(nullptr, nullptr, nullptr);
  gex_System_QueryMyPosition(nullptr, nullptr, nullptr, nullptr);
}

TEST_F(Queries, MyPositionIsInsideTheSetsOfNeighbourhoodsAndHosts) {
  gex_Rank_t nbrhds = 0, nbrhd = 0, hosts = 0, host = 0;
  gex_System_QueryMyPosition(&nbrhds, &nbrhd, &hosts, &host);
  EXPECT_LT(nbrhd, nbrhds);
  EXPECT_LT(host, hosts);
  EXPECT_LE(hosts, nbrhds);
  EXPECT_LE(nbrhds, job().size);
}

TEST_F(Queries, RanksTranslateToJobRanksAndBack) {
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    EXPECT_EQ(gex_TM_TranslateRankToJobrank(job().tm, rank), rank);
    EXPECT_EQ(gex_TM_TranslateJobrankToRank(job().tm, rank), rank);
  }
}

TEST_F(Queries, EveryMemberOfTheFirstTeamIsEndpointZeroOfItsProcess) {
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    const gex_EP_Location_t location = gex_TM_TranslateRankToEP(job().tm, rank, 0);
    EXPECT_EQ(location.gex_rank, rank);
    EXPECT_EQ(location.gex_ep_index, 0);
  }
}

TEST_F(Queries, NoThreadOfTheLibraryRunsHandlersAndNoneHasToBeStarted) {
  EXPECT_EQ(gex_System_QueryHiddenAMConcurrencyLevel(), GASNET_HIDDEN_AM_CONCURRENCY_LEVEL);
  unsigned count = 0;
  const gex_ProgressThreadInfo_t* threads = nullptr;
  const QuietErrors quiet;
  EXPECT_EQ(gex_System_QueryProgressThreads(job().client, &count, &threads, 0), GASNET_ERR_RESOURCE)
      << "the client was not started with GEX_FLAG_DEFER_THREADS";
}

TEST_F(Queries, LimitsAreKnownBeforeTheStartAndStayWhatTheyWere) {
  EXPECT_TRUE(limits_before_start == Limits());
  EXPECT_GE(limits_before_start.medium, 512u);
  EXPECT_GE(limits_before_start.long_request, 512u);
}

TEST_F(Queries, LimitsFitIntoAnInt) {
  EXPECT_LE(gex_AM_LUBRequestLong(), static_cast<std::size_t>(std::numeric_limits<int>::max()));
  EXPECT_LE(gex_AM_LUBReplyLong(), static_cast<std::size_t>(std::numeric_limits<int>::max()));
}

TEST_F(Queries, SequentialClientsMayUseOneThreadOthersMore) {
#if GASNET_SEQ
  EXPECT_EQ(gex_System_QueryMaxThreads(), 1u);
#else
  EXPECT_GT(gex_System_QueryMaxThreads(), 1u);
#endif
}

TEST_F(Queries, VerboseErrorsAreOnUntilTheyAreSwitchedOff) {
  EXPECT_NE(gex_System_GetVerboseErrors(), 0);
  gex_System_SetVerboseErrors(0);
  EXPECT_EQ(gex_System_GetVerboseErrors(), 0);
  gex_System_SetVerboseErrors(1);
  EXPECT_EQ(gex_System_GetVerboseErrors(), 1);
}

TEST_F(Queries, EveryReturnCodeHasANameAndADescription) {
  for (int code : {GASNET_OK, GASNET_ERR_NOT_INIT, GASNET_ERR_RESOURCE, GASNET_ERR_BAD_ARG,
                   GASNET_ERR_NOT_READY, GASNET_ERR_BARRIER_MISMATCH}) {
    EXPECT_EQ(std::string(gasnet_ErrorName(code)).rfind("GASNET_", 0), 0u) << gasnet_ErrorName(code);
    EXPECT_FALSE(std::string(gasnet_ErrorDesc(code)).empty());
  }
  EXPECT_STREQ(gasnet_ErrorName(GASNET_ERR_BAD_ARG), "GASNET_ERR_BAD_ARG");
  EXPECT_NE(gasnet_ErrorName(-12345), nullptr);
}

TEST_F(Queries, TheEnvironmentOfTheLauncherIsVisible) {
  EXPECT_EQ(gasnet_getenv("AQUEDUCT_SURELY_UNSET_VARIABLE"), nullptr);
  ASSERT_NE(gasnet_getenv("PATH"), nullptr);
  EXPECT_STREQ(gasnet_getenv("PATH"), std::getenv("PATH"));
}

TEST_F(Queries, WaitModesAreAcceptedAndOthersRefused) {
  for (int mode : {GASNET_WAIT_BLOCK, GASNET_WAIT_SPINBLOCK, GASNET_WAIT_SPIN})
    EXPECT_EQ(gasnet_set_waitmode(mode), GASNET_OK);
  EXPECT_EQ(gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK), GASNET_OK);
  const QuietErrors quiet;
  EXPECT_EQ(gasnet_set_waitmode(77), GASNET_ERR_BAD_ARG);
}

}  // namespace
}  // namespace aqueduct::test
