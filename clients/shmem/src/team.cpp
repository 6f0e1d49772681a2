#include "team.hpp"

#include <algorithm>
#include <memory>

#include "exported.hpp"
#include "far.hpp"
#include "shmem.h"

shmem_team_ aqshmem_team_world_;
shmem_team_ aqshmem_team_shared_;

namespace aqshmem {
namespace {

/// Fills in what follows from the team below.
void describe(shmem_team_& team) {
  team.me = static_cast<int>(gex_TM_QueryRank(team.tm));
  team.size = static_cast<int>(gex_TM_QuerySize(team.tm));
  team.storage = new std::vector<int>;
  team.all_here = true;
  for (int i = 0; i < team.size; ++i) {
    const int pe = static_cast<int>(gex_TM_TranslateRankToJobrank(team.tm, static_cast<gex_Rank_t>(i)));
    team.storage->push_back(pe);
    if (!job.segments[static_cast<std::size_t>(pe)]) team.all_here = false;
  }
  team.members = team.storage->data();
}

/// A team of those members of `parent` that give the same color; none for a negative one.
shmem_team_t split(shmem_team_& parent, int color, int key) {
  gex_TM_t tm = nullptr;
  const Inside inside;
  gex_TM_Split(color < 0 ? nullptr : &tm, parent.tm, std::max(color, 0), key, nullptr, 0,
               GEX_FLAG_TM_NO_SCRATCH);
  if (color < 0) return SHMEM_TEAM_INVALID;
  auto* const team = new shmem_team_;
  team->tm = tm;
  describe(*team);
  return team;
}

bool is_permanent(shmem_team_t team) { return team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED; }

void configure(shmem_team_t team, const shmem_team_config_t* config, long mask) {
  if (team && config && (mask & SHMEM_TEAM_NUM_CONTEXTS)) team->contexts = config->num_contexts;
}

}  // namespace

void start_teams() {
  aqshmem_team_world_.tm = job.world;
  describe(aqshmem_team_world_);
  gex_Rank_t neighbourhood = 0;
  gex_System_QueryMyPosition(nullptr, &neighbourhood, nullptr, nullptr);
  gex_TM_Split(&aqshmem_team_shared_.tm, job.world, static_cast<int>(neighbourhood), job.me, nullptr, 0,
               GEX_FLAG_TM_NO_SCRATCH);
  describe(aqshmem_team_shared_);
}

shmem_team_& checked_team(const char* call, shmem_team_t team) {
  must_be_started(call);
  if (!team) fail("%s: the team is SHMEM_TEAM_INVALID", call);
  return *team;
}

}  // namespace aqshmem

using namespace aqshmem;

SHMEM_EXPORT(int, team_my_pe, (shmem_team_t team)) { return team ? team->me : -1; }
SHMEM_EXPORT(int, team_n_pes, (shmem_team_t team)) { return team ? team->size : -1; }

SHMEM_EXPORT(int, team_get_config, (shmem_team_t team, long config_mask, shmem_team_config_t* config)) {
  if (!team) return -1;
  if (config && (config_mask & SHMEM_TEAM_NUM_CONTEXTS)) config->num_contexts = team->contexts;
  return 0;
}

SHMEM_EXPORT(int, team_translate_pe, (shmem_team_t src_team, int src_pe, shmem_team_t dest_team)) {
  if (!src_team || !dest_team || src_pe < 0 || src_pe >= src_team->size) return -1;
  const int* const end = dest_team->members + dest_team->size;
  const int* const found = std::find(dest_team->members, end, src_team->members[src_pe]);
  return found == end ? -1 : static_cast<int>(found - dest_team->members);
}

SHMEM_EXPORT(int, team_split_strided,
             (shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t* config,
              long config_mask, shmem_team_t* new_team)) {
  *new_team = SHMEM_TEAM_INVALID;
  if (!parent_team) return -1;
  const long last = start + static_cast<long>(stride) * (size - 1);
  if (size < 1 || start < 0 || start >= parent_team->size || last < 0 || last >= parent_team->size ||
      (stride == 0 && size != 1))
    return -1;
  const int distance = parent_team->me - start;
  const bool on_stride = stride == 0 ? distance == 0 : distance % stride == 0;
  const int index = stride == 0 ? 0 : distance / stride;
  const bool is_member = on_stride && index >= 0 && index < size;
  *new_team = split(*parent_team, is_member ? 0 : -1, index);
  configure(*new_team, config, config_mask);
  return 0;
}

SHMEM_EXPORT(int, team_split_2d,
             (shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config, long xaxis_mask,
              shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask,
              shmem_team_t* yaxis_team)) {
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  if (!parent_team || xrange < 1) return -1;
  xrange = std::min(xrange, parent_team->size);
  const int x = parent_team->me % xrange;
  const int y = parent_team->me / xrange;
  *xaxis_team = split(*parent_team, y, x);
  *yaxis_team = split(*parent_team, x, y);
  configure(*xaxis_team, xaxis_config, xaxis_mask);
  configure(*yaxis_team, yaxis_config, yaxis_mask);
  return 0;
}

SHMEM_EXPORT(void, team_destroy, (shmem_team_t team)) {
  if (!team) return;
  if (is_permanent(team)) fail("shmem_team_destroy: this team exists as long as the job");
  destroy_contexts_of(team);
  const Inside inside;
  gex_TM_Destroy(team->tm, nullptr, 0);
  delete team->storage;
  delete team;
}

SHMEM_EXPORT(void*, team_ptr, (shmem_team_t team, const void* dest, int pe)) {
  if (!team || pe < 0 || pe >= team->size) return nullptr;
  return shmem_ptr(dest, team->members[pe]);
}

SHMEM_EXPORT(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx)) {
  *ctx = SHMEM_CTX_INVALID;
  if (!team) return -1;
  constexpr long kKnown =
      SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE | SHMEM_CTX_SESSION_BATCH;
  if (options & ~kKnown) return -1;
  *ctx = make_context(team, team == SHMEM_TEAM_WORLD ? nullptr : team->members, options);
  return 0;
}

SHMEM_EXPORT(int, ctx_create, (long options, shmem_ctx_t* ctx)) {
  must_be_started("shmem_ctx_create");
  return pshmem_team_create_ctx(SHMEM_TEAM_WORLD, options, ctx);
}

SHMEM_EXPORT(void, ctx_destroy, (shmem_ctx_t ctx)) {
  if (!ctx) return;
  if (ctx == SHMEM_CTX_DEFAULT) fail("shmem_ctx_destroy: the default context exists as long as the job");
  destroy_context(ctx);
}

SHMEM_EXPORT(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t* team)) {
  *team = ctx ? ctx->team_ : SHMEM_TEAM_INVALID;
  return ctx ? 0 : -1;
}

SHMEM_EXPORT(void, ctx_session_start, (shmem_ctx_t, long, const shmem_ctx_session_config_t*, long)) {}
SHMEM_EXPORT(void, ctx_session_stop, (shmem_ctx_t)) {}
