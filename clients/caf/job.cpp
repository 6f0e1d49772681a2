#include "clients/caf/job.hpp"

#include <aqueduct/failure.h>
#include <aqueduct/sim.h>

#include <cstdlib>

#include "clients/caf/atomic_words.hpp"
#include "clients/caf/error.hpp"
#include "clients/caf/heap.hpp"
#include "clients/caf/job_end.hpp"
#include "clients/caf/status.hpp"

// The Fortran runtime's; not there in a program without Fortran.
extern "C" void _gfortran_flush_i4(const std::int32_t* unit) __attribute__((weak));

namespace aqueduct::caf {

Job job;

namespace {

void look_at_peers() {
  job.peers = static_cast<Peer*>(std::calloc(job.size, sizeof(Peer)));
  if (!job.peers) fatal("the start", "no memory for the addresses of %u images", job.size);
  bool all_are_here = true;
  for (gex_Rank_t rank = 0; rank < job.size; ++rank) {
    void *owner = nullptr, *here = nullptr;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(job.world, rank, &owner, &here, nullptr, 0));
    job.peers[rank] = {reinterpret_cast<std::uintptr_t>(owner), static_cast<char*>(here)};
    all_are_here = all_are_here && here;
  }
  job.is_simulated = aqueduct_sim_active();
  job.has_network = !all_are_here || job.is_simulated;
}

void attach_segment() {
  job.segment_bytes = gasnet_getMaxGlobalSegmentSize();
  gex_Segment_t segment;
  if (gex_Segment_Attach(&segment, job.world, job.segment_bytes) != GASNET_OK)
    fatal("the start", "a segment of %zu bytes cannot be attached; GASNET_MAX_SEGSIZE asks for less",
          job.segment_bytes);
  job.base = static_cast<char*>(gex_Segment_QueryAddr(segment));

  const std::size_t page = GASNET_PAGESIZE;
  const std::size_t reserved = page + (job.size * sizeof(std::uint64_t) + page - 1) / page * page;
  if (job.segment_bytes < reserved + 2 * page)
    fatal("the start", "a segment of %zu bytes is too small for %u images; GASNET_MAX_SEGSIZE asks for more",
          job.segment_bytes, job.size);
  const std::size_t half = (job.segment_bytes - reserved) / 2 / page * page;
  symmetric_heap.begin(job.base + reserved, half);
  local_heap.begin(job.base + reserved + half, half);
}

}  // namespace

void start_job() {
  if (gex_Client_Init(&job.client, &job.endpoint, &job.world, "coarray fortran", nullptr, nullptr, 0) !=
      GASNET_OK)
    fatal("the start", "the communication library does not start");
  job.rank = gex_System_QueryJobRank();
  job.size = gex_System_QueryJobSize();
  job.reports_failures = aqueduct_failures_are_reported();
  begin_status();
  attach_segment();
  look_at_peers();
  job.initial = {job.world,
                 static_cast<int>(job.size),
                 static_cast<int>(job.rank) + 1,
                 -1,
                 nullptr,
                 nullptr,
                 0,
                 &status_page().progress,
                 &status_page().ring,
                 0};
  job.team = &job.initial;
  begin_atomics();
  begin_end();
  job.is_up = true;
}

void flush_units() {
  if (_gfortran_flush_i4) _gfortran_flush_i4(nullptr);
}

}  // namespace aqueduct::caf
