#include "api/collectives.hpp"
#include "extended/teams/teams.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

constexpr gex_Flags_t kSizeQueries = GEX_FLAG_TM_SCRATCH_SIZE_MIN | GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED;
constexpr gex_Flags_t kScratchKinds = GEX_FLAG_TM_GLOBAL_SCRATCH | GEX_FLAG_TM_LOCAL_SCRATCH |
                                      GEX_FLAG_TM_SYMMETRIC_SCRATCH | GEX_FLAG_TM_NO_SCRATCH;
constexpr std::size_t kScratchBytes = GASNET_PAGESIZE;  // what we recommend: little, and enough for alignment

// Scratch space that a client lends must lie in the segment of the member's endpoint.
gex_Memvec_t checked_scratch(const char* where, const core::Endpoint& endpoint, void* address,
                             std::size_t bytes) {
  if (bytes == 0)
    fatal(where, "scratch_size is 0; pass GEX_FLAG_TM_NO_SCRATCH to make a team without scratch space");
  const core::Segment* segment = endpoint.segment;
  const std::uintptr_t offset =
      segment ? reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(segment->base)
              : 0;
  if (endpoint.client->rank->objects().reaches_everything(endpoint.index)) return {address, bytes};
  if (!segment || offset >= segment->size || bytes > segment->size - offset) {
    fatal(where, "scratch space %p (%zu bytes) is outside the segment of this member's endpoint", address,
          bytes);
  }
  return {address, bytes};
}

void* segment_base(const char* where, const core::Endpoint& endpoint) {
  if (!endpoint.segment) fatal(where, "an offset is given, but no segment is bound to the endpoint");
  return endpoint.segment->base;
}

// All members of the parent make new teams, or none.
void note_new_teams(const core::Team& parent, Kind kind) {
  trace::timeline::describe_collective(trace::timeline::kNoPeer, 0, parent.id,
                                       static_cast<std::uint16_t>(kind));
}

void note_new_team(const char* where, core::Team* made) {
  if (made) trace::timeline::joined_team(made->id, made->rank(), made->size());
  if (!trace::on(trace::Category::kObject) || !made) return;
  trace::note(trace::Category::kObject, where, 0, "team %p, rank %u of %u", static_cast<void*>(made),
              made->rank(), made->size());
}

}  // namespace

extern "C" {

gex_Client_t gex_TM_QueryClient(gex_TM_t tm) {
  return to_handle(team("gex_TM_QueryClient", tm).endpoint->client);
}
gex_EP_t gex_TM_QueryEP(gex_TM_t tm) { return to_handle(team("gex_TM_QueryEP", tm).endpoint); }
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm) { return team("gex_TM_QueryFlags", tm).flags; }
gex_Rank_t gex_TM_QueryRank(gex_TM_t tm) { return team("gex_TM_QueryRank", tm).rank(); }
gex_Rank_t gex_TM_QuerySize(gex_TM_t tm) { return team("gex_TM_QuerySize", tm).size(); }
void gex_TM_SetCData(gex_TM_t tm, const void* value) { team("gex_TM_SetCData", tm).cdata = value; }
void* gex_TM_QueryCData(gex_TM_t tm) { return const_cast<void*>(team("gex_TM_QueryCData", tm).cdata); }

gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank) {
  return member("gex_TM_TranslateRankToJobrank", tm, rank).gex_rank;
}
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t job_rank) {
  constexpr const char* kWhere = "gex_TM_TranslateJobrankToRank";
  const core::Team& members = team(kWhere, tm);
  const RankId size = members.endpoint->client->rank->size();
  if (job_rank >= size) fatal(kWhere, "rank %u is outside the job, which has %u ranks", job_rank, size);
  return members.rank_of(job_rank);
}
gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t) {
  return member("gex_TM_TranslateRankToEP", tm, rank);
}

gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index) {
  return make_pair(object("gex_TM_Pair", local_ep, "endpoint").index, remote_ep_index);
}

size_t gex_TM_Split(gex_TM_t* new_tm_p, gex_TM_t parent_tm, int color, int key, void* scratch_address,
                    size_t scratch_size, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_TM_Split";
  core::Team& parent = team(kWhere, parent_tm);
  core::Thread& thread = enter(kWhere);
  const bool joins = new_tm_p;
  if (flags & ~(kSizeQueries | GEX_FLAG_TM_NO_SCRATCH)) fatal(kWhere, "an unknown flag is set");
  if (flags & kSizeQueries) return joins ? kScratchBytes : 0;
  const trace::timeline::Slice slice(kWhere, trace::timeline::Kind::kOperation);
  note_new_teams(parent, Kind::kSplit);
  if (joins && color < 0) fatal(kWhere, "the color is %d; it must not be negative", color);
  gex_Memvec_t scratch{};
  if (joins && !(flags & GEX_FLAG_TM_NO_SCRATCH))
    scratch = checked_scratch(kWhere, *parent.endpoint, scratch_address, scratch_size);
  check_collective(kWhere, thread, parent, Kind::kSplit);
  core::Team* made = extended::split_team(thread, parent, joins, color, key, scratch, flags);
  if (joins) *new_tm_p = to_handle(made);
  note_new_team(kWhere, made);
  return 0;
}

size_t gex_TM_Create(gex_TM_t* new_tms, size_t new_count, gex_TM_t parent_tm, gex_EP_Location_t* members,
                     size_t count, gex_Addr_t* scratch_addresses, size_t scratch_size, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_TM_Create";
  core::Team& parent = team(kWhere, parent_tm);
  core::Thread& thread = enter(kWhere);
  if (flags & ~(kSizeQueries | kScratchKinds | GEX_FLAG_RANK_IS_JOBRANK | GEX_FLAG_SCRATCH_SEG_OFFSET))
    fatal(kWhere, "an unknown flag is set");
  if (flags & kSizeQueries) return count ? kScratchBytes : 0;
  const trace::timeline::Slice slice(kWhere, trace::timeline::Kind::kOperation);
  note_new_teams(parent, Kind::kCreate);
  if (count && !members) fatal(kWhere, "the list of members is NULL");

  std::vector<gex_EP_Location_t> list(members, members + count);
  gex_Rank_t my_rank = GEX_RANK_INVALID;
  for (gex_Rank_t i = 0; i < list.size(); ++i) {
    if (!(flags & GEX_FLAG_RANK_IS_JOBRANK)) list[i].gex_rank = job_rank(kWhere, parent_tm, list[i].gex_rank);
    if (list[i].gex_rank == thread.rank.id()) my_rank = i;
  }
  const bool joins = my_rank != GEX_RANK_INVALID;
  if (count && new_count != joins)
    fatal(kWhere, "num_new_tms is %zu, but the list names %d endpoints of this process", new_count, joins);
  if (joins && !new_tms) fatal(kWhere, "new_tms is NULL");

  gex_Memvec_t scratch{};
  const gex_Flags_t kind = flags & kScratchKinds;
  if (count && (kind == 0 || (kind & (kind - 1)) != 0))
    fatal(kWhere, "exactly one of GEX_FLAG_TM_{GLOBAL,LOCAL,SYMMETRIC,NO}_SCRATCH must be set");
  if (joins && kind != GEX_FLAG_TM_NO_SCRATCH) {
    if (!scratch_addresses) fatal(kWhere, "scratch_addrs is NULL");
    const core::Endpoint* endpoint = thread.rank.objects().find_endpoint(list[my_rank].gex_ep_index);
    if (!endpoint) fatal(kWhere, "this process has no endpoint %u", list[my_rank].gex_ep_index);
    void* address = scratch_addresses[kind == GEX_FLAG_TM_GLOBAL_SCRATCH ? my_rank : 0];
    if (flags & GEX_FLAG_SCRATCH_SEG_OFFSET)
      address = static_cast<std::byte*>(segment_base(kWhere, *endpoint)) +
                reinterpret_cast<std::uintptr_t>(address);
    scratch = checked_scratch(kWhere, *endpoint, address, scratch_size);
  }
  check_collective(kWhere, thread, parent, Kind::kCreate);
  core::Team* made = extended::create_team(kWhere, thread, parent, list, scratch, flags);
  if (joins) new_tms[0] = to_handle(made);
  note_new_team(kWhere, made);
  return 0;
}

int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t* scratch_p, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_TM_Destroy";
  core::Team& doomed = team(kWhere, tm);
  core::Thread& thread = enter(kWhere);
  if (doomed.id == core::kWorldTeam) fatal(kWhere, "the team of gex_Client_Init cannot be destroyed");
  gex_Memvec_t scratch = doomed.scratch;
  if (flags & GEX_FLAG_SCRATCH_SEG_OFFSET && scratch.gex_len) {
    const auto offset = static_cast<std::byte*>(scratch.gex_addr) -
                        static_cast<std::byte*>(segment_base(kWhere, *doomed.endpoint));
    scratch.gex_addr = reinterpret_cast<void*>(offset);
  }
  if (trace::on(trace::Category::kObject))
    trace::note(trace::Category::kObject, kWhere, 0, "team %p", static_cast<void*>(&doomed));
  check_collective(kWhere, thread, doomed, Kind::kDestroy);
  extended::destroy_team(thread, doomed);
  if (!scratch_p || scratch.gex_len == 0) return 0;
  *scratch_p = scratch;
  return 1;
}
}
