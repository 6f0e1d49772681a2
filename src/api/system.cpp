#include <cstdlib>

#include "api/face.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

core::Rank& rank_of(const char* where) { return core::this_thread(where).rank; }

void describe(core::Rank& rank, bool only_me, gex_RankInfo_t** info_p, gex_Rank_t* count_p,
              gex_Rank_t* my_index_p) {
  // Ranks of one host are numbered without gaps, so a table of all ranks serves both questions.
  std::vector<aq_rank_info_>& infos = rank.objects().rank_infos;
  for (RankId peer = static_cast<RankId>(infos.size()); peer < rank.size(); ++peer) infos.push_back({peer});
  if (info_p) *info_p = rank.objects().rank_infos.data() + (only_me ? rank.id() : 0);
  if (count_p) *count_p = only_me ? 1 : rank.size();
  if (my_index_p) *my_index_p = only_me ? 0 : rank.id();
}

}  // namespace

extern "C" {

gex_Rank_t gex_System_QueryJobRank(void) { return rank_of("gex_System_QueryJobRank").id(); }
gex_Rank_t gex_System_QueryJobSize(void) { return rank_of("gex_System_QueryJobSize").size(); }

void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* count_p, gex_Rank_t* my_index_p) {
  core::Rank& rank = rank_of("gex_System_QueryNbrhdInfo");
  describe(rank, !rank.neighbourhood(), info_p, count_p, my_index_p);
}

void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* count_p, gex_Rank_t* my_index_p) {
  describe(rank_of("gex_System_QueryHostInfo"), false, info_p, count_p, my_index_p);
}

void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p) {
  core::Rank& rank = rank_of("gex_System_QueryMyPosition");
  const bool alone = !rank.neighbourhood();
  if (nbrhd_set_size_p) *nbrhd_set_size_p = alone ? rank.size() : 1;
  if (nbrhd_set_rank_p) *nbrhd_set_rank_p = alone ? rank.id() : 0;
  if (host_set_size_p) *host_set_size_p = 1;
  if (host_set_rank_p) *host_set_rank_p = 0;
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t* table, int count) {
  constexpr const char* kWhere = "gasnet_getNodeInfo";
  core::Rank& rank = rank_of(kWhere);
  if (!table || count < 0 || static_cast<RankId>(count) > rank.size())
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "the table is NULL or the count is not one of ranks");
  for (RankId peer = 0; peer < static_cast<RankId>(count); ++peer) {
    table[peer].host = 0;
    table[peer].supernode = rank.neighbourhood() ? 0 : peer;
    table[peer].offset = rank.objects().neighbour_views[peer].shift_;
  }
  return GASNET_OK;
}

int gex_System_QueryHiddenAMConcurrencyLevel(void) { return 0; }

int gex_System_QueryProgressThreads(gex_Client_t client, unsigned* count_p,
                                    const gex_ProgressThreadInfo_t** info_p, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_System_QueryProgressThreads";
  const core::Client& inner = object(kWhere, client, "client");
  if (!count_p || !info_p || flags)
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "an output is NULL or flags are set");
  if (!(inner.flags & GEX_FLAG_DEFER_THREADS)) {
    return returned_error(kWhere, GASNET_ERR_RESOURCE,
                          "gex_Client_Init was not given GEX_FLAG_DEFER_THREADS");
  }
  *count_p = 0;
  *info_p = nullptr;
  return GASNET_OK;
}

char* gasnet_getenv(const char* name) { return name ? std::getenv(name) : nullptr; }
}
