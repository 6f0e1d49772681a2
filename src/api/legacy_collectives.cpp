#include "api/collectives.hpp"
#include "gasnet_coll.h"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

core::Team& world_team(const char* where, gasnet_team_handle_t team) {
  if (team != GASNET_TEAM_ALL) fatal(where, "the team is not GASNET_TEAM_ALL");
  return core::this_thread(where).rank.objects().world;
}

Request request_of(const char* where, Kind kind, gasnet_image_t root, void* dst, const void* src,
                   std::size_t bytes, int flags) {
  const int in = flags & (GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC | GASNET_COLL_IN_ALLSYNC);
  const int out = flags & (GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_OUT_ALLSYNC);
  if (in == 0 || (in & (in - 1)) != 0) fatal(where, "flags must hold exactly one of GASNET_COLL_IN_*");
  if (out == 0 || (out & (out - 1)) != 0) fatal(where, "flags must hold exactly one of GASNET_COLL_OUT_*");
  Request request;
  request.where = where;
  request.kind = kind;
  request.root = root;
  request.dst = dst;
  request.src = src;
  request.bytes = bytes;
  request.enter_together = in == GASNET_COLL_IN_ALLSYNC;
  request.leave_together = out == GASNET_COLL_OUT_ALLSYNC;
  return request;
}

gasnet_coll_handle_t start(gasnet_team_handle_t team, const Request& request) {
  return start_collective(world_team(request.where, team), request);
}
void wait(gasnet_team_handle_t team, const Request& request) {
  wait_for_collective(world_team(request.where, team), request);
}

}  // namespace

extern "C" {

void gasnet_coll_broadcast(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                           size_t nbytes, int flags) {
  wait(team, request_of("gasnet_coll_broadcast", Kind::kBroadcast, srcimage, dst, src, nbytes, flags));
}
void gasnet_coll_scatter(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                         size_t nbytes, int flags) {
  wait(team, request_of("gasnet_coll_scatter", Kind::kScatter, srcimage, dst, src, nbytes, flags));
}
void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, void* src,
                        size_t nbytes, int flags) {
  wait(team, request_of("gasnet_coll_gather", Kind::kGather, dstimage, dst, src, nbytes, flags));
}
void gasnet_coll_gather_all(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes, int flags) {
  wait(team, request_of("gasnet_coll_gather_all", Kind::kGatherAll, 0, dst, src, nbytes, flags));
}
void gasnet_coll_exchange(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes, int flags) {
  wait(team, request_of("gasnet_coll_exchange", Kind::kExchange, 0, dst, src, nbytes, flags));
}

gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                                              void* src, size_t nbytes, int flags) {
  return start(team,
               request_of("gasnet_coll_broadcast_nb", Kind::kBroadcast, srcimage, dst, src, nbytes, flags));
}
gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                                            void* src, size_t nbytes, int flags) {
  return start(team, request_of("gasnet_coll_scatter_nb", Kind::kScatter, srcimage, dst, src, nbytes, flags));
}
gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,
                                           void* src, size_t nbytes, int flags) {
  return start(team, request_of("gasnet_coll_gather_nb", Kind::kGather, dstimage, dst, src, nbytes, flags));
}
gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,
                                               int flags) {
  return start(team, request_of("gasnet_coll_gather_all_nb", Kind::kGatherAll, 0, dst, src, nbytes, flags));
}
gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,
                                             int flags) {
  return start(team, request_of("gasnet_coll_exchange_nb", Kind::kExchange, 0, dst, src, nbytes, flags));
}

void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags) {
  (void)world_team("gasnet_coll_barrier_notify", team);
  gasnet_barrier_notify(id, flags);
}
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags) {
  (void)world_team("gasnet_coll_barrier_wait", team);
  return gasnet_barrier_wait(id, flags);
}
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags) {
  (void)world_team("gasnet_coll_barrier_try", team);
  return gasnet_barrier_try(id, flags);
}
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags) {
  (void)world_team("gasnet_coll_barrier", team);
  return gasnet_barrier(id, flags);
}
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int* id_p) {
  (void)world_team("gasnet_coll_barrier_result", team);
  return gasnet_barrier_result(id_p);
}
}
