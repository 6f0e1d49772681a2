// The state of this PE: one for the process. All of it belongs to the library, which is set up by shmem_init
// and is the same until shmem_finalize, except for what has a lock of its own.
#pragma once
#include <aqueduct/progress_thread.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnetex.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shmem/reach.h"

namespace aqshmem {

struct Job {
  int uses = 0;  ///< calls of shmem_init without their shmem_finalize
  bool was_finalized = false;
  bool is_started = false;  ///< the library below is
  int process = 0;          ///< which: a forked one does not take part
  int thread_level = SHMEM_THREAD_SINGLE;
  bool is_threaded = false;  ///< several threads may call the library below
  bool has_far = false;      ///< there are PEs that share no memory with this one
  bool rings = false;        ///< neighbours that wait must be told of what was stored (ring())
  bool says_away = false;    ///< a progress thread of the library must know when this PE is inside (Inside)
  bool checks = false;       ///< every operation is checked, none is done in the caller

  gex_Client_t client = nullptr;
  gex_EP_t endpoint = nullptr;
  gex_TM_t world = nullptr;
  gex_TM_t exits = nullptr;  ///< all PEs once more, for the end
  gex_AD_t words32 = nullptr;
  gex_AD_t words64 = nullptr;
  int me = 0;
  int pes = 0;

  std::uintptr_t heap = 0;  ///< as in aqshmem_view_, which hides them if operations are checked
  std::uintptr_t heap_bytes = 0;
  std::uintptr_t statics = 0;
  std::uintptr_t statics_bytes = 0;
  std::uintptr_t statics_offset = 0;
  std::uintptr_t program_base = 0;  ///< to what addresses in the executable's symbol table are added
  std::uint32_t longest_sleep_us = 0;
  std::vector<char*> segments;                 ///< where the heap of each PE is mapped here, or null
  std::vector<std::uintptr_t> owner_segments;  ///< where each PE has its heap itself
};

extern Job job;

/// Ends the job with one line unless shmem_init has been called and shmem_finalize has not.
void must_be_started(const char* call);

/// One line on stderr, and the end of the job.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char* format, ...);

/// Where an address is in the symmetric segment; kNowhere if it is not symmetric.
inline constexpr std::uintptr_t kNowhere = ~std::uintptr_t{0};
inline std::uintptr_t segment_offset(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  if (place - job.heap < job.heap_bytes) return place - job.heap;
  if (place - job.statics < job.statics_bytes) return place - job.statics + job.statics_offset;
  return kNowhere;
}

/// The object of another PE as this PE reaches it; null if it is on another host or not symmetric.
inline char* here(const void* address, int pe) {
  const std::uintptr_t offset = segment_offset(address);
  if (offset == kNowhere || static_cast<unsigned>(pe) >= static_cast<unsigned>(job.pes)) return nullptr;
  char* const segment = job.segments[static_cast<std::size_t>(pe)];
  return segment ? segment + offset : nullptr;
}

/// A simulated PE sleeps until a message comes: it gets one, if it is a neighbour in whose memory something
/// was stored. Live ones look now and then.
void ring(int pe);

/// A PE is away from the library below while its program runs, and its progress thread may look for messages
/// then. While one of these lives the PE is inside. Around every call of the library below; may be nested.
class Inside {
 public:
  Inside() {
    if (job.says_away && depth_++ == 0) aqueduct_back();
  }
  ~Inside() {
    if (job.says_away && --depth_ == 0) aqueduct_away();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  /// For the end of the process: this PE is never away again.
  static void for_good() {
    if (job.says_away) aqueduct_back();
    job.says_away = false;
  }

 private:
  static inline int depth_ = 0;  // of the program's only thread
};

/// After a call that needed no other PE: in a job with a network one in many looks for messages. A program
/// may do nothing but such calls until others have come.
void look_after_many();
inline void look_now_and_then() {
  if (job.has_far) look_after_many();
}

/// Completes everything of this PE and waits for all PEs.
void barrier_all();

/// Waits for the members of a team of the library below.
void synchronise_team(gex_TM_t team);

/// Starts the library below for one thread, or for several.
int start_single(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* world);
int start_threaded(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* world);

}  // namespace aqshmem
