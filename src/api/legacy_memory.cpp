#include "api/face.hpp"
#include "extended/rma.hpp"
#include "extended/wait_subjects.hpp"
#include "gasnet.h"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;
using extended::Operation;
using extended::OpKind;
using extended::Pending;
using extended::Started;

namespace {

// A value on its way is an operation that also has room for the value: nothing else uses this field of one
// that is not tested by a function.
std::uint64_t& value_of(Operation& operation) { return operation.test_detail; }

Started fill(const char* where, core::Thread& thread, gasnet_node_t node, void* dest, int val, size_t nbytes,
             Pending& pending) {
  const RankId target = job_rank(where, aq_legacy_team_(), node);
  if (trace::on(trace::Category::kPut)) [[unlikely]]
    trace::note(trace::Category::kPut, where, nbytes, "to rank %u, %zu bytes, %p, value %d", target, nbytes,
                dest, val);
  return extended::start_fill(where, thread, target, dest, val, nbytes, pending);
}

}  // namespace

extern "C" {

gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void* src, size_t nbytes) {
  constexpr const char* kWhere = "gasnet_get_nb_val";
  if (nbytes < 1 || nbytes > sizeof(gasnet_register_value_t))
    fatal(kWhere, "a value has 1 to 8 bytes, not %zu", nbytes);
  core::Thread& thread = core::this_thread(kWhere);
  const RankId target = job_rank(kWhere, aq_legacy_team_(), node);
  Operation* operation = extended::ops(thread).pool.take();
  std::uint64_t& value = value_of(*operation);
  value = 0;
  if (trace::on(trace::Category::kGet)) [[unlikely]]
    trace::note_transfer(trace::Category::kGet, kWhere, target, &value, src, nbytes);
  extended::start_get(kWhere, thread, target, &value, src, nbytes, operation->count(OpKind::kGet), 0);
  return reinterpret_cast<gasnet_valget_handle_t>(operation);
}

gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle) {
  constexpr const char* kWhere = "gasnet_wait_syncnb_valget";
  core::Thread& thread = core::this_thread(kWhere);
  auto* operation = reinterpret_cast<Operation*>(handle);
  if (!operation || !operation->live.load(std::memory_order_relaxed))
    fatal(kWhere, "the handle is not valid or has been waited for before");
  core::wait_until(
      thread, core::Scope::kAll, [&] { return operation->done(); },
      extended::EventSubject{thread.rank, *operation, kWhere});
  const gasnet_register_value_t value = value_of(*operation);
  extended::OperationPool::give_back(operation);
  return value;
}

void gasnet_memset(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  core::Thread& thread = core::this_thread("gasnet_memset");
  Pending pending{0};
  fill("gasnet_memset", thread, node, dest, val, nbytes, pending);
  core::wait_until(
      thread, core::Scope::kAll, [&] { return pending.load(std::memory_order_acquire) == 0; },
      extended::TransferSubject{observe::TransferKind::kPut, thread.last_transfer, "gasnet_memset"});
}

gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  core::Thread& thread = core::this_thread("gasnet_memset_nb");
  Operation* operation = extended::ops(thread).pool.take();
  if (fill("gasnet_memset_nb", thread, node, dest, val, nbytes, operation->count(OpKind::kPut)) ==
      Started::kStarted)
    return to_event(operation);
  extended::OperationPool::give_back(operation);
  return GASNET_INVALID_HANDLE;
}

void gasnet_memset_nbi(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  core::Thread& thread = core::this_thread("gasnet_memset_nbi");
  fill("gasnet_memset_nbi", thread, node, dest, val, nbytes,
       extended::ops(thread).current().count(OpKind::kPut));
}
}
