// shmem_init and shmem_finalize, and what comes after them.
//
// A PE that ends with code 0 waits for the others in the last moment of its process, after what the program
// itself has registered for its end, and leaves with gasnet_exit: whoever left alone would not answer what
// others still send. A PE that ends with another code ends the job.
#include <aqueduct/sim.h>
#include <gasnet_tools.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "exported.hpp"
#include "far.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "place.hpp"
#include "settings.hpp"
#include "shmem.h"
#include "statics.hpp"
#include "team.hpp"

struct aqshmem_view_ aqshmem_view_ = {};

namespace aqshmem {

Job job;

namespace {

int exit_code = 0;
void remember_exit_code(int code, void*) { exit_code = code; }

/// The last thing that happens in this process.
[[gnu::destructor(101)]] void leave() {
  if (!job.is_started || ::getpid() != job.process) return;
  Inside::for_good();
  if (exit_code == 0) {
    if (job.uses != 0) complete(nullptr);
    gex_Coll_BarrierBlocking(job.exits, 0);
  }
  gasnet_exit(exit_code);
}

std::uint64_t greatest(std::uint64_t mine) {
  std::uint64_t all = 0;
  gex_Event_Wait(
      gex_Coll_ReduceToAllNB(job.world, &all, &mine, GEX_DT_U64, 8, 1, GEX_OP_MAX, nullptr, nullptr, 0));
  return all;
}

void must_agree(const char* what, std::uint64_t mine) {
  const std::uint64_t most = greatest(mine);
  const std::uint64_t least = ~greatest(~mine);
  if (most != least)
    fail("%s: %llu bytes at PE %d, and between %llu and %llu at the others", what,
         static_cast<unsigned long long>(mine), job.me, static_cast<unsigned long long>(least),
         static_cast<unsigned long long>(most));
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
}

void start_library(int level) {
  job.is_threaded = level >= SHMEM_THREAD_SERIALIZED;
  (void)aqueduct_progress_thread(progress_us());  // too late if something else runs it: that is said below
  gex_System_SetVerboseErrors(0);
  const int error = job.is_threaded ? start_threaded(&job.client, &job.endpoint, &job.world)
                                    : start_single(&job.client, &job.endpoint, &job.world);
  if (error == GASNET_ERR_NOT_INIT)
    fail("shmem_init: something else in this program has started the library already");
  if (error != GASNET_OK) fail("shmem_init: %s", gasnet_ErrorDesc(error));
  job.is_started = true;
  job.process = ::getpid();
  register_bell();
  job.me = static_cast<int>(gex_TM_QueryRank(job.world));
  job.pes = static_cast<int>(gex_TM_QuerySize(job.world));
  ::on_exit(remember_exit_code, nullptr);
  gex_TM_Split(&job.exits, job.world, 0, job.me, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  constexpr gex_OP_t kOperations = GEX_OP_GET | GEX_OP_SET | GEX_OP_SWAP | GEX_OP_FCAS | GEX_OP_ADD |
                                   GEX_OP_FADD | GEX_OP_AND | GEX_OP_FAND | GEX_OP_OR | GEX_OP_FOR |
                                   GEX_OP_XOR | GEX_OP_FXOR;
  gex_AD_Create(&job.words32, job.world, GEX_DT_U32, kOperations, 0);
  gex_AD_Create(&job.words64, job.world, GEX_DT_U64, kOperations, 0);
}

/// The heap begins at a multiple of this in every PE, so that what is aligned on one is aligned on all.
constexpr std::size_t kHeapAlignment = std::size_t{64} << 20;

std::uintptr_t heap_in(std::uintptr_t segment) {
  return (segment + kHeapAlignment - 1) / kHeapAlignment * kHeapAlignment;
}

long neighbours() {
  gex_Rank_t count = 1;
  gex_System_QueryNbrhdInfo(nullptr, &count, nullptr);
  return static_cast<long>(count);
}

/// One segment: the heap, then the statics.
void attach_memory() {
  job.heap_bytes = whole_pages(symmetric_bytes());
  must_agree("SHMEM_SYMMETRIC_SIZE", job.heap_bytes);
  const Statics statics = find_statics();
  must_agree("the PEs run different programs, with static and global variables", statics.bytes);
  job.statics_offset = job.heap_bytes;
  const std::size_t bytes = kHeapAlignment + job.heap_bytes + statics.bytes;
  if (bytes > gasnet_getMaxGlobalSegmentSize())
    fail(
        "the symmetric heap (SHMEM_SYMMETRIC_SIZE) of %zu MB and %zu KB of static variables, aligned to %zu "
        "MB, are more "
        "than the %zu MB that a PE may have here (%s)",
        job.heap_bytes >> 20, statics.bytes >> 10, kHeapAlignment >> 20,
        static_cast<std::size_t>(gasnet_getMaxGlobalSegmentSize()) >> 20,
        aqueduct_sim_active() ? "aqueduct sim --segment 640MiB" : "AQUEDUCT_MAX_SEGSIZE");
  gex_Segment_t segment;
  const int error = gex_Segment_Attach(&segment, job.world, bytes);
  if (error != GASNET_OK)
    fail("no room for a symmetric heap (SHMEM_SYMMETRIC_SIZE) of %zu MB: %s", job.heap_bytes >> 20,
         gasnet_ErrorDesc(error));
  job.heap = heap_in(reinterpret_cast<std::uintptr_t>(gex_Segment_QueryAddr(segment)));
  auto* const base = reinterpret_cast<char*>(job.heap);
  for (int pe = 0; pe < job.pes; ++pe) {
    void* owners = nullptr;
    void* local = nullptr;
    gex_Event_Wait(
        gex_EP_QueryBoundSegmentNB(job.world, static_cast<gex_Rank_t>(pe), &owners, &local, nullptr, 0));
    const auto begin = reinterpret_cast<std::uintptr_t>(owners);
    job.owner_segments.push_back(heap_in(begin));
    if (local) local = static_cast<char*>(local) + (heap_in(begin) - begin);
    job.segments.push_back(pe == job.me ? base : static_cast<char*>(local));
    if (!job.segments.back()) job.has_far = true;
  }
  // Simulated time passes in calls only, so that whoever looks at a value in a loop needs them.
  if (aqueduct_sim_active()) job.has_far = job.rings = true;
  if (statics.bytes != 0) {
    void* const shared = base + job.statics_offset;
    // Segments are shared memory where others map them. They are not in a simulation, nor on networks that
    // are tried on one host; then, and only then, may a part of one be replaced.
    const bool is_moved = !aqueduct_sim_active() && move_statics(statics, shared);
    const bool may_replace = aqueduct_sim_active() || (errno == EINVAL && neighbours() == 1);
    if (!is_moved && (!may_replace || !make_shared(shared, statics.bytes) || !move_statics(statics, shared)))
      fail("the static variables cannot be mapped again: %s", std::strerror(errno));
    job.statics = statics.begin;
    job.program_base = statics.program_base;
    job.statics_bytes = statics.bytes;
  }
  start_heap(job.heap_bytes);
}

/// A PE that waits for long looks at its memory so often, and less often where PEs share cores.
std::uint32_t choose_longest_sleep_us() {
  const long cores = std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L);
  constexpr std::uint32_t kAloneOnCoreUs = 100;
  constexpr std::uint32_t kMostUs = 10'000;
  return static_cast<std::uint32_t>(
      std::min<long>(kAloneOnCoreUs * std::max(neighbours() / cores, 1L), kMostUs));
}

void open_view() {
  aqshmem_view_.statics_offset_ = job.statics_offset;
  aqshmem_view_.segments_ = job.segments.data();
  aqshmem_view_.pes_ = job.pes;
  aqshmem_view_.me_ = job.me;
  aqshmem_view_.heap_ = job.heap;
  aqshmem_view_.statics_ = job.statics;
  // Operations that are to be checked find nothing here, and go into the library. So do all in a job with a
  // network: a program that does nothing else until something changes must look for messages now and then.
  const bool is_open = !job.checks && !job.has_far;
  aqshmem_view_.heap_bytes_ = is_open ? job.heap_bytes : 0;
  aqshmem_view_.statics_bytes_ = is_open ? job.statics_bytes : 0;
}

}  // namespace

void must_be_started(const char* call) {
  if (job.uses > 0) [[likely]]
    return;
  if (job.was_finalized) fail("%s is called after shmem_finalize", call);
  fail("%s is called before shmem_init", call);
}

void fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char place[256];
  find_place(place, sizeof place);
  // What is wrong at all PEs is said by the first one: the job has ended before the others' turn.
  if (job.is_started && !aqueduct_sim_active())
    std::this_thread::sleep_for(std::chrono::milliseconds(100) * std::min(job.me, 10));
  // The library below knows how to end a job with one line. Before it is started there is no job.
  if (job.is_started) gasnett_fatalerror_nopos("shmem: %s%s", text, place);
  std::fprintf(stderr, "shmem: %s%s\n", text, place);
  std::exit(1);
}

}  // namespace aqshmem

using namespace aqshmem;

SHMEM_EXPORT(int, init_thread, (int requested, int* provided)) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE)
    fail("shmem_init_thread: %d is no level of threads", requested);
  if (job.uses > 0) {
    ++job.uses;
  } else {
    if (job.was_finalized)
      fail("shmem_init is called again after shmem_finalize: a program starts the library once");
    start_library(requested);
    job.thread_level = requested;
    job.checks = is_set("AQUEDUCT_SHMEM_CHECK");
    attach_memory();
    job.longest_sleep_us = choose_longest_sleep_us();
    start_teams();
    open_view();
    job.uses = 1;
    barrier_all();
    if (job.has_far && progress_us() != 0) {
      job.says_away = !job.is_threaded;
      aqueduct_away();
    }
  }
  if (provided) *provided = job.thread_level;
  return 0;
}

SHMEM_EXPORT(void, init, (void)) { pshmem_init_thread(SHMEM_THREAD_SINGLE, nullptr); }

SHMEM_EXPORT(void, query_thread, (int* provided)) {
  must_be_started("shmem_query_thread");
  *provided = job.thread_level;
}

SHMEM_EXPORT(int, initialized, (void)) { return job.uses > 0 || job.was_finalized; }
SHMEM_EXPORT(int, finalized, (void)) { return job.was_finalized; }

SHMEM_EXPORT(void, finalize, (void)) {
  if (job.uses == 0 && job.was_finalized) return;
  must_be_started("shmem_finalize");
  if (--job.uses > 0) return;
  job.uses = 1;
  barrier_all();
  job.uses = 0;
  job.was_finalized = true;
  aqshmem_view_.heap_bytes_ = aqshmem_view_.statics_bytes_ = 0;
}

SHMEM_EXPORT(void, global_exit, (int status)) {
  std::fflush(nullptr);
  if (!job.is_started) std::exit(status);
  Inside::for_good();
  gasnet_exit(status);
}

SHMEM_EXPORT(int, my_pe, (void)) {
  if (!job.is_started) must_be_started("shmem_my_pe");
  return job.me;
}
SHMEM_EXPORT(int, n_pes, (void)) {
  if (!job.is_started) must_be_started("shmem_n_pes");
  return job.pes;
}

SHMEM_EXPORT(int, pe_accessible, (int pe)) { return pe >= 0 && pe < job.pes && job.uses > 0; }

SHMEM_EXPORT(int, addr_accessible, (const void* address, int pe)) {
  return pe >= 0 && pe < job.pes && segment_offset(address) != kNowhere;
}

SHMEM_EXPORT(void*, ptr, (const void* dest, int pe)) {
  must_be_started("shmem_ptr");
  if (pe == job.me && segment_offset(dest) != kNowhere) return const_cast<void*>(dest);
  return here(dest, pe);
}

SHMEM_EXPORT(void, info_get_version, (int* major, int* minor)) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}
SHMEM_EXPORT(void, info_get_name, (char* name)) { std::strcpy(name, SHMEM_VENDOR_STRING); }
SHMEM_EXPORT(void, pcontrol, (int, ...)) {}

extern "C" {
void start_pes(int) { shmem_init(); }
int _my_pe(void) { return pshmem_my_pe(); }
int _num_pes(void) { return pshmem_n_pes(); }
int my_pe(void) { return pshmem_my_pe(); }
int num_pes(void) { return pshmem_n_pes(); }
// For machines whose caches were not coherent.
void shmem_clear_cache_inv(void) {}
void shmem_set_cache_inv(void) {}
void shmem_clear_cache_line_inv(void*) {}
void shmem_set_cache_line_inv(void*) {}
void shmem_udcflush(void) {}
void shmem_udcflush_line(void*) {}
}
