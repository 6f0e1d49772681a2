// Operations on PEs of other hosts, by the library below.
//
// With one thread they are its implicit operations, which one call completes. With several, a thread must be
// able to complete what another one has begun, which implicit operations do not allow: each context then has
// a list of events.
#pragma once
#include <cstddef>
#include <mutex>
#include <vector>

#include "job.hpp"

namespace aqshmem {

/// What is under way in a context, if several threads may use the library.
class UnderWay {
 public:
  void add(gex_Event_t event);
  void complete();

 private:
  std::mutex lock_;
  std::vector<gex_Event_t> events_;
};

/// Completes what is under way on a context; on all of them if `ctx` is null.
void complete(shmem_ctx_t ctx);

/// Contexts, to be made and destroyed by one thread at a time (the functions take a lock).
shmem_ctx_t make_context(shmem_team_* team, const int* members, long options);
void destroy_context(shmem_ctx_t ctx);
void destroy_contexts_of(shmem_team_* team);

/// What ring() sends, for the endpoint that is being set up.
void register_bell();

/// The object at `pe` in its own address space. Ends the job with one line if it is not symmetric, or there
/// is no such PE.
void* owner_address(const char* call, const void* address, std::size_t bytes, int pe);

}  // namespace aqshmem
