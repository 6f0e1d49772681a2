#include "api/collectives.hpp"

#include <cstdint>

#include "extended/device/device_rma.hpp"
#include "gasnet_coll.h"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;
using extended::Operation;
using extended::collectives::Combiner;

namespace aqueduct::api {

core::Thread& enter_collective(const core::Team& team, const Request& request) {
  core::Thread& thread = core::this_thread(request.where);
  not_in_handler(request.where, thread);
  if (request.has_root() && request.root >= team.size()) {
    fatal(request.where, "root %u is outside the team, which has %u ranks", request.root, team.size());
  }
  if (request.reads(team.rank()) && !request.src) fatal(request.where, "src is NULL");
  if (request.writes(team.rank()) && !request.dst) fatal(request.where, "dst is NULL");
  extended::device_memory::refuse_device(request.where, thread, request.src, "the data of a collective");
  extended::device_memory::refuse_device(request.where, thread, request.dst, "the data of a collective");
  if (trace::on(trace::Category::kCollective)) [[unlikely]] {
    trace::timeline::describe_collective(
        request.has_root() ? team.job_rank(request.root) : trace::timeline::kNoPeer, request.bytes, team.id,
        static_cast<std::uint16_t>(static_cast<unsigned>(request.kind) |
                                   (request.enter_together ? trace::timeline::kEnterTogether : 0U) |
                                   (request.leave_together ? trace::timeline::kLeaveTogether : 0U)));
    trace::note(trace::Category::kCollective, request.where, request.bytes,
                "%zu bytes, root %u, rank %u of %u", request.bytes, request.root, team.rank(), team.size());
  }
  return thread;
}

namespace {

/// Null if it is done, and no timeline is written.
Operation* begin_collective(core::Team& team, const Request& request) {
  core::Thread& thread = enter_collective(team, request);
  const std::uint8_t slot = extended::ops(team).progress_slot;
  observe::TeamProgress::count(thread.rank.own_record().team(slot).collectives);
  thread.record->counters.collectives.add();
  Operation* operation = extended::collectives::collectives_of(team).start(thread, request);
  if (!operation && trace::timeline::is_on()) operation = extended::ops(thread).pool.take();
  if (!operation) return nullptr;
  operation->nature = extended::OpNature::kCollective;
  operation->team_slot = slot;
  return operation;
}

}  // namespace

gex_Event_t start_collective(core::Team& team, const Request& request) {
  const trace::timeline::Slice slice(request.where, trace::timeline::Kind::kOperation);
  Operation* const operation = begin_collective(team, request);
  if (!operation) return GEX_EVENT_INVALID;
  trace::timeline::started(to_event(operation));
  return to_event(operation);
}

void wait_for_collective(core::Team& team, const Request& request) {
  const trace::timeline::Slice slice(request.where, trace::timeline::Kind::kOperation);
  if (Operation* const operation = begin_collective(team, request)) gex_Event_Wait(to_event(operation));
}

}  // namespace aqueduct::api

namespace {

Combiner combiner_of(const char* where, gex_DT_t type, std::size_t element_bytes, gex_OP_t operation,
                     gex_Coll_ReduceFn_t function, const void* cdata) {
  if (operation == GEX_OP_USER || operation == GEX_OP_USER_NC) {
    if (!function) fatal(where, "user_op is NULL");
    return {function, cdata, element_bytes, operation == GEX_OP_USER};
  }
  if (type == GEX_DT_USER)
    fatal(where, "GEX_DT_USER needs op GEX_OP_USER or GEX_OP_USER_NC, not %#x", operation);
  const gex_Coll_ReduceFn_t built_in = extended::collectives::built_in_operation(type, operation);
  if (!built_in) fatal(where, "there is no reduction with op %#x on dt %#x", operation, type);
  return {built_in, nullptr, element_bytes, true};
}

Request reduction(const char* where, Kind kind, gex_Rank_t root, void* dst, const void* src, gex_DT_t type,
                  std::size_t element_bytes, std::size_t count, gex_OP_t operation,
                  gex_Coll_ReduceFn_t function, const void* cdata) {
  const std::size_t right_size =
      type == GEX_DT_USER ? element_bytes : extended::collectives::built_in_bytes(type);
  if (right_size == 0 && type != GEX_DT_USER) fatal(where, "dt is %#x, which is no type", type);
  if (element_bytes == 0 || element_bytes != right_size) {
    fatal(where, "dt_sz is %zu; elements of dt %#x have %zu bytes", element_bytes, type, right_size);
  }
  if (count == 0) fatal(where, "dt_cnt is 0");
  if (count > SIZE_MAX / element_bytes) fatal(where, "dt_cnt is %zu, more than memory can hold", count);
  Request request;
  request.where = where;
  request.kind = kind;
  request.root = root;
  request.dst = dst;
  request.src = src;
  request.bytes = count * element_bytes;
  request.count = count;
  request.type = type;
  request.operation = operation;
  request.combiner = combiner_of(where, type, element_bytes, operation, function, cdata);
  return request;
}

}  // namespace

extern "C" {

gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src, size_t nbytes,
                                 gex_Flags_t) {
  Request request;
  request.where = "gex_Coll_BroadcastNB";
  request.kind = Kind::kBroadcast;
  request.root = root;
  request.dst = dst;
  request.src = src;
  request.bytes = nbytes;
  return start_collective(team(request.where, tm), request);
}

gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src, gex_DT_t dt,
                                   size_t dt_sz, size_t dt_cnt, gex_OP_t op, gex_Coll_ReduceFn_t user_op,
                                   void* user_cdata, gex_Flags_t) {
  constexpr const char* kWhere = "gex_Coll_ReduceToOneNB";
  return start_collective(team(kWhere, tm), reduction(kWhere, Kind::kReduceToOne, root, dst, src, dt, dt_sz,
                                                      dt_cnt, op, user_op, user_cdata));
}

gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void* dst, const void* src, gex_DT_t dt, size_t dt_sz,
                                   size_t dt_cnt, gex_OP_t op, gex_Coll_ReduceFn_t user_op, void* user_cdata,
                                   gex_Flags_t) {
  constexpr const char* kWhere = "gex_Coll_ReduceToAllNB";
  return start_collective(team(kWhere, tm), reduction(kWhere, Kind::kReduceToAll, 0, dst, src, dt, dt_sz,
                                                      dt_cnt, op, user_op, user_cdata));
}
}
