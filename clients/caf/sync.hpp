// Synchronising images.
//
// sync all is the library's barrier, until an image of the team has stopped or failed. From then on nobody
// relies on barriers: each image publishes how many it has entered, and reads the others' (sync.cpp). sync
// images counts, for each pair of images, how often one has come to meet the other.
#pragma once
#include "clients/caf/error.hpp"
#include "clients/caf/job.hpp"
#include "clients/caf/team.hpp"

namespace aqueduct::caf {

/// Of the current team, or of another one that this image is in.
void sync_all(const Outcome& outcome, const char* statement);
void sync_team(Team& team, const Outcome& outcome, const char* statement);

/// With `count` images of the current team; with all if it is negative.
void sync_images(int count, const int* images, const Outcome& outcome);

/// What sync_memory() does where puts may be under way, or stat= is asked for.
[[gnu::noinline, gnu::cold]] void complete_memory(int* stat);

/// Completes puts. Who waits for another image by it, in a loop around an atomic subroutine, needs no fence
/// beyond that: atomic_define and the like are full ones. Where all images share memory nothing is under way,
/// and nobody waits for a message: what remains is a test and a return, in front of all else.
inline void sync_memory(int* stat) {
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  if (!job.has_network && !stat) [[likely]]
    return;
  complete_memory(stat);
}

}  // namespace aqueduct::caf
