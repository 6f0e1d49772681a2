#include "extended/rma.hpp"

#include <cstring>

#include "base/fatal.hpp"
#include "core/segment.hpp"
#include "extended/native.hpp"
#include "extended/reference_rma.hpp"
#include "world/work.hpp"

namespace aqueduct::extended {
namespace {

// The conduit's own put and get, if they reach there. Some know attached segments only, none those of other
// endpoints.
conduit::Rma* native_for(Rank& rank, RankId target, const void* address, std::size_t bytes,
                         gex_EP_Index_t endpoint) {
  const core::Objects& objects = rank.objects();
  // Operations over messages are known by their peer, should that one die.
  const bool may_be_native = endpoint == 0 && !rank.failures();
  conduit::Rma* const native = may_be_native ? rank.conduit().rma() : nullptr;
  if (!native) return nullptr;
  if (objects.segment_everything) {
    const bool reaches = native->reaches_everything() ||
                         objects.bounds[target].contains(reinterpret_cast<std::uintptr_t>(address), bytes);
    return reaches ? native : nullptr;
  }
  return objects.attached ? native : nullptr;
}

Started by_messages(int result) { return result == GASNET_OK ? Started::kStarted : Started::kNotNow; }

}  // namespace

void check_target(const char* where, Thread& thread, RankId target, const void* address, std::size_t bytes,
                  gex_EP_Index_t endpoint) {
  Rank& rank = thread.rank;
  if (target >= rank.size())
    fatal(where, "rank %u is outside the team, which has %u ranks", target, rank.size());
  if (thread.handling) {
    core::refuse_outside_handlers(where, thread);
    fatal(where, "may not be called in a handler");
  }
  if (bytes == 0 || rank.objects().reaches_everything(endpoint)) return;
  const aq_peer_view_ segment = rank.objects().segment_of(target, endpoint);
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - segment.base_;
  if (offset >= segment.size_ || bytes > segment.size_ - offset) {
    if (segment.size_ == 0) {
      if (endpoint == 0) fatal(where, "rank %u has no segment yet; call gex_Segment_Attach first", target);
      fatal(where, "no segment of endpoint %u of rank %u has been published to this rank", endpoint, target);
    }
    fatal(where, "address %p (%zu bytes) is outside the segment of rank %u, which is %p (%zu bytes)", address,
          bytes, target, reinterpret_cast<void*>(segment.base_), segment.size_);
  }
}

Started start_lent_put(const char* where, Thread& thread, RankId target, void* to, const void* from,
                       std::size_t bytes, Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint,
                       conduit::Reuse reuse) {
  check_target(where, thread, target, to, bytes, endpoint);
  if (bytes == 0) return Started::kDone;
  note_start(thread, target, &observe::PeerCounters::puts, bytes);
  Rank& rank = thread.rank;
  if (!rank.options().reference_only) {
    if (void* here = core::reach(rank.objects(), target, to, bytes, endpoint)) {
      world::spend(world::kNeighbourCopy, bytes);
      std::memcpy(here, from, bytes);
      return Started::kDone;
    }
    if (conduit::Rma* native = native_for(rank, target, to, bytes, endpoint)) {
      return start_native(thread, target, observe::TransferKind::kPut, pending, flags,
                          [&](conduit::Rma::Done done, void* operation) {
                            return native->put(target, to, from, bytes, reuse, done, operation);
                          });
    }
  }
  return by_messages(reference_put(thread, target, to, from, bytes, pending, flags, endpoint));
}

Started start_put(const char* where, Thread& thread, RankId target, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint) {
  return start_lent_put(where, thread, target, to, from, bytes, pending, flags, endpoint,
                        conduit::Reuse::kAtReturn);
}

Started start_get(const char* where, Thread& thread, RankId target, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint) {
  check_target(where, thread, target, from, bytes, endpoint);
  if (bytes == 0) return Started::kDone;
  note_start(thread, target, &observe::PeerCounters::gets, bytes);
  Rank& rank = thread.rank;
  if (!rank.options().reference_only) {
    if (const void* here = core::reach(rank.objects(), target, from, bytes, endpoint)) {
      world::spend(world::kNeighbourCopy, bytes);
      std::memcpy(to, here, bytes);
      return Started::kDone;
    }
    if (conduit::Rma* native = native_for(rank, target, from, bytes, endpoint)) {
      return start_native(thread, target, observe::TransferKind::kGet, pending, flags,
                          [&](conduit::Rma::Done done, void* operation) {
                            return native->get(target, to, from, bytes, done, operation);
                          });
    }
  }
  return by_messages(reference_get(thread, target, to, from, bytes, pending, flags));
}

Started start_fill(const char* where, Thread& thread, RankId target, void* to, int value, std::size_t bytes,
                   Pending& pending) {
  check_target(where, thread, target, to, bytes);
  if (bytes == 0) return Started::kDone;
  note_start(thread, target, &observe::PeerCounters::puts, bytes);
  Rank& rank = thread.rank;
  if (!rank.options().reference_only) {
    if (void* here = core::reach(rank.objects(), target, to, bytes)) {
      world::spend(world::kNeighbourCopy, bytes);
      std::memset(here, value, bytes);
      return Started::kDone;
    }
  }
  reference_fill(thread, target, to, value, bytes, pending);
  return Started::kStarted;
}

}  // namespace aqueduct::extended
