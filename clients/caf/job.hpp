// This process as an image of the program: started on the first call that needs it, which is the registration
// of a static coarray before main(), or else _gfortran_caf_init.
//
// Memory. Every image attaches one segment of the same size:
//
//   status page | arrivals, a word for each image | symmetric half: coarrays | other half: allocatable components
//
// Coarrays are allocated by all images of a team in the same order and with the same sizes, so that each lies
// at the same offset on all of them (heap.hpp): nobody asks where another image has it. Components are
// allocated by an image alone; others find them through the descriptors that lie in the coarray.
//
// One thread of an image uses all of this. Ranks are those of the job, counted from 0; images those of a
// team, counted from 1.
#pragma once
#include <gasnetex.h>

#include <cstddef>
#include <cstdint>

#include "clients/caf/small_broadcast.hpp"
#include "clients/caf/team.hpp"

namespace aqueduct::caf {

/// Where another rank's segment lies.
struct Peer {
  std::uintptr_t base;  ///< for its owner
  char* here;           ///< in this process; null if the rank is not a neighbour
};

/// At the start of each segment; others read it.
struct StatusPage {
  TeamProgress progress;  ///< in the initial team
  BroadcastRing ring;     ///< likewise
};

struct Job {
  bool is_up;
  bool has_network;  ///< some images are beyond this one's neighbourhood, or the job is simulated: polls are
                     ///< due
  bool is_simulated;
  bool reports_failures;  ///< the job goes on when an image fails
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  gex_Rank_t rank, size;
  char* base;  ///< of this image's segment
  std::size_t segment_bytes;
  Peer* peers;
  Team initial;
  Team* team;  ///< the current one
};
extern Job job;

/// Starts the job if that has not happened yet.
void start_job();
inline void need_job() {
  if (!job.is_up) [[unlikely]]
    start_job();
}

inline StatusPage& status_page() { return *reinterpret_cast<StatusPage*>(job.base); }
/// How often each rank has come to meet this one in sync images; written by that rank.
inline std::uint64_t* arrivals() { return reinterpret_cast<std::uint64_t*>(job.base + GASNET_PAGESIZE); }

/// The offset in the segment of an address in this image's own.
inline std::size_t offset_of(const void* address) {
  return static_cast<std::size_t>(static_cast<const char*>(address) - job.base);
}
inline bool is_in_segment(const void* address) { return offset_of(address) < job.segment_bytes; }
inline void* owner_address(gex_Rank_t rank, std::size_t offset) {
  return reinterpret_cast<void*>(job.peers[rank].base + offset);
}

/// Writes out what Fortran's units still hold; the job ends without the runtime's own clean-up.
void flush_units();

}  // namespace aqueduct::caf
