#include "core/segment.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/world.hpp"
#include "trace/trace.hpp"

namespace aqueduct::core {
namespace {

std::size_t memory_of_host() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct Request {
  std::uintptr_t base;
  std::uintptr_t bytes;
  int error;
};

void* allocate(Rank& rank, std::size_t bytes) {
  if (rank.neighbourhood()) return rank.neighbourhood()->map_segment(rank.id(), bytes);
  if (rank.world()) return rank.world()->segment_memory(bytes);
  void* mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

std::size_t max_segment_bytes(RankId ranks) {
  const env::Amount amount = env::amount({"AQUEDUCT_MAX_SEGSIZE", "GASNET_MAX_SEGSIZE"})
                                 .value_or(env::Amount{.bytes = 0, .fraction = 0.85, .per_host = true});
  const std::size_t bytes = std::min(amount.bytes_per_rank(memory_of_host(), ranks), segment_span());
  return std::max(bytes / kPage * kPage, kPage);
}

std::size_t segment_span() { return round_up(memory_of_host(), std::size_t{1} << 30); }

int attach_segment(Rank& rank, std::uintptr_t bytes, std::string* reason) {
  Objects& objects = rank.objects();
  const std::size_t most = rank.options().max_segment_bytes;
  Request mine{0, bytes, GASNET_OK};
  if (bytes == 0 || bytes % kPage != 0) {
    mine.error = GASNET_ERR_BAD_ARG;
    *reason =
        "a segment must have a multiple of " + std::to_string(kPage) + " bytes, not " + std::to_string(bytes);
  } else if (bytes > most) {
    mine.error = GASNET_ERR_BAD_ARG;
    *reason = "a segment of " + std::to_string(bytes) + " bytes; at most " + std::to_string(most) +
              " are possible here (GASNET_MAX_SEGSIZE sets the limit)";
  } else {
    void* base = allocate(rank, mine.bytes);
    if (base) {
      mine.base = reinterpret_cast<std::uintptr_t>(base);
    } else {
      mine.error = GASNET_ERR_RESOURCE;
      *reason = "no address space for a segment of " + std::to_string(bytes) + " bytes";
    }
  }

  rank.exchange().all_gather(mine, [&](RankId peer, const Request& theirs) {
    objects.bounds[peer] = {theirs.base, theirs.bytes};
    if (theirs.error == GASNET_OK || mine.error != GASNET_OK) return;
    mine.error = GASNET_ERR_RESOURCE;
    *reason = "rank " + std::to_string(peer) + " could not attach its segment";
  });
  if (mine.error != GASNET_OK) {
    std::fill(objects.bounds.begin(), objects.bounds.end(), conduit::SegmentBounds{});
    if (mine.base && !rank.world()) ::munmap(reinterpret_cast<void*>(mine.base), mine.bytes);
    return mine.error;
  }

  if (gasnet_client_attach_hook) gasnet_client_attach_hook(reinterpret_cast<void*>(mine.base), mine.bytes);
  for (RankId peer = 0; peer < rank.size() && rank.neighbourhood(); ++peer) {
    if (!rank.is_neighbour(peer)) continue;
    const conduit::SegmentBounds theirs = objects.bounds[peer];
    void* here = peer == rank.id() ? reinterpret_cast<void*>(mine.base)
                                   : rank.neighbourhood()->map_segment(peer, theirs.size);
    if (!here) fatal("gex_Segment_Attach", "no address space to map the segment of rank %u", peer);
    aq_peer_view_& view = objects.neighbour_views[peer];
    view.base_ = theirs.base;
    view.size_ = theirs.size;
    view.shift_ = static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(here) - view.base_);
    view.spare_ = 1;
    if (!rank.options().reference_only && !trace::is_watching()) objects.peer_views[peer] = view;
  }
  objects.teams.for_each([&](Team& team) { refresh_peer_views(objects, team); });
  objects.segment.base = reinterpret_cast<void*>(mine.base);
  objects.segment.size = mine.bytes;
  objects.endpoint.segment = &objects.segment;
  rank.conduit().segments_attached(objects.bounds);
  rank.exchange().barrier();
  return GASNET_OK;
}

}  // namespace aqueduct::core
