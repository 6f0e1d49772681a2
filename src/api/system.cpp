#include <cstdlib>

#include "api/face.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

core::Rank& rank_of(const char* where) { return core::this_thread(where).rank; }

// The members of one host of a layout, as clients see them. The table is made when it is first asked for.
void describe(const core::Rank& rank, const job::Layout& layout, std::vector<aq_rank_info_>& infos,
              gex_RankInfo_t** info_p, gex_Rank_t* count_p, gex_Rank_t* my_index_p) {
  const job::HostId host = layout.host_of(rank.id());
  for (auto local = static_cast<RankId>(infos.size()); local < layout.local_size(host); ++local)
    infos.push_back({layout.rank_at(host, local)});
  if (info_p) *info_p = infos.data();
  if (count_p) *count_p = layout.local_size(host);
  if (my_index_p) *my_index_p = layout.local_rank_of(rank.id());
}

}  // namespace

extern "C" {

gex_Rank_t gex_System_QueryJobRank(void) { return rank_of("gex_System_QueryJobRank").id(); }
gex_Rank_t gex_System_QueryJobSize(void) { return rank_of("gex_System_QueryJobSize").size(); }

void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* count_p, gex_Rank_t* my_index_p) {
  core::Rank& rank = rank_of("gex_System_QueryNbrhdInfo");
  describe(rank, rank.neighbourhoods(), rank.objects().neighbour_infos, info_p, count_p, my_index_p);
}

void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* count_p, gex_Rank_t* my_index_p) {
  core::Rank& rank = rank_of("gex_System_QueryHostInfo");
  describe(rank, rank.place().hosts, rank.objects().host_infos, info_p, count_p, my_index_p);
}

void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p) {
  core::Rank& rank = rank_of("gex_System_QueryMyPosition");
  const job::Layout& neighbourhoods = rank.neighbourhoods();
  const job::Layout& hosts = rank.place().hosts;
  if (nbrhd_set_size_p) *nbrhd_set_size_p = neighbourhoods.hosts();
  if (nbrhd_set_rank_p) *nbrhd_set_rank_p = neighbourhoods.host_of(rank.id());
  if (host_set_size_p) *host_set_size_p = hosts.hosts();
  if (host_set_rank_p) *host_set_rank_p = hosts.host_of(rank.id());
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t* table, int count) {
  constexpr const char* kWhere = "gasnet_getNodeInfo";
  core::Rank& rank = rank_of(kWhere);
  if (!table || count < 0 || static_cast<RankId>(count) > rank.size())
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "the table is NULL or the count is not one of ranks");
  for (RankId peer = 0; peer < static_cast<RankId>(count); ++peer) {
    table[peer].host = rank.place().hosts.host_of(peer);
    table[peer].supernode = rank.neighbourhoods().host_of(peer);
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
