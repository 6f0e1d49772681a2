// The timeline: what each rank did, when, for how long and with whom, for `aqueduct run --trace FILE`.
//
// Records go into a ring of the rank (trace/recorder.hpp), which is bounded: the oldest are overwritten. What
// ranks have left is put together afterwards (trace/merge.hpp). Live ranks write straight into a file that is
// mapped, so that a rank that is killed leaves its last records, too.
//
//   Slice slice("gex_RMA_PutBlocking", Kind::kOperation);     a call, from here to the end of the scope
//   timeline::describe(peer, bytes);                          says more of the slice that is open
//
// When no timeline is written that is a load and a branch each. Any thread, also in handlers; in a
// simulation, the fibers of ranks, in virtual time. Nothing here allocates.
//
// A message and the handler that it runs are matched by what both sides know of it (message_key), not by a
// number in the message: nothing that is sent changes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "aqueduct/detail/watched.h"
#include "base/clock.hpp"

namespace aqueduct::trace::timeline {

/// The bit of aq_trace_watched_ that stands for the timeline; those below are categories.
inline constexpr std::uint32_t kWatched = std::uint32_t{1} << 31;
/// All bits that the timeline sets there; 0 while none is written.
std::uint32_t watched_bits();
inline bool is_on() { return (__atomic_load_n(&aq_trace_watched_, __ATOMIC_RELAXED) & kWatched) != 0; }

enum class Kind : std::uint8_t {
  kNone,       ///< no record, or one that is being written
  kOperation,  ///< a call: put, get, atomic, collective
  kWait,       ///< a call that waits for operations
  kBarrier,    ///< an arrival at a barrier: `key` is the team, `detail` counts its barriers
  kSend,       ///< a call that sends a message: `key` is message_key()
  kHandler,    ///< a handler that a message runs: likewise
  kStarted,    ///< an instant: the operation of the event `key` goes on after its call has returned
  kCompleted,  ///< an instant: its completion was seen
};

inline constexpr std::uint32_t kNoPeer = ~std::uint32_t{0};

/// What is recorded, and how it lies in files.
struct Record {
  std::uint64_t begin = 0;  ///< in the time of its recorder (trace/recorder.hpp)
  std::uint64_t duration = 0;
  std::uint64_t key = 0;
  std::uint32_t peer = kNoPeer;
  std::uint32_t detail = 0;  ///< the index of a handler, or the number of a barrier
  std::uint32_t bytes = 0;   ///< at most 2^32 - 1
  std::uint16_t name = 0;    ///< of the recorder's names
  Kind kind = Kind::kNone;
  std::uint8_t thread = 0;
};
static_assert(sizeof(Record) == 40);

/// A call of this rank, recorded when it goes out of scope. `name` lives for ever.
class Slice {
 public:
  Slice(const char* name, Kind kind) {
    if (is_on()) [[unlikely]]
      begin(name, kind);
  }
  ~Slice() {
    if (name_ != nullptr) [[unlikely]]
      end();
  }
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  /// Whether it will be recorded; then more may be said of it.
  bool is_recorded() const { return name_ != nullptr; }
  Record& record() { return record_; }
  const char* name() const { return name_; }

 private:
  void begin(const char* name, Kind kind);
  void end();

  friend void keep_open();

  const char* name_ = nullptr;
  Slice* outer_ = nullptr;
  bool is_kept_ = false;
  Record record_;
};

/// The caller's thread waits for long in the innermost slice that is open: it is shown as unfinished should
/// the rank be killed there, or its simulation end. The thread calls it again now and then as long as it
/// waits.
void keep_open();

/// Of the innermost slice that is open in the caller's thread: whom it is about. Does nothing where none is.
void describe(std::uint32_t peer, std::uint64_t bytes);
void describe_message(std::uint32_t peer, std::uint64_t bytes, std::uint64_t key, std::uint8_t handler);
void describe_barrier(std::uint32_t team, std::uint64_t number);

/// The operation of an event goes on; its event was completed. Under the name of the slice that is open.
void started(const void* event);
void completed(const void* event);

/// What sender and receiver know of a message.
std::uint64_t message_key(std::uint32_t source, std::uint32_t target, bool is_reply, std::uint8_t handler,
                          const std::int32_t* args, unsigned nargs, std::uint64_t payload_bytes);

/// If AQUEDUCT_TRACE names a file: this rank records from now on. A file that cannot be made, or for which
/// the disk has no room, is fatal. All ranks of the job have met shortly before.
void open(std::uint32_t rank, std::uint32_t ranks);

/// This rank leaves: what it has recorded is complete.
void leave();

/// The same for one of many ranks in this process, which has reporting_rank `rank` whenever it runs
/// (base/context.hpp). Its records are in memory until write_simulated().
void open_simulated(std::uint32_t rank, std::uint32_t ranks, Clock& clock);

/// Makes ranks of simulations record, from before the first of them until write_simulated().
void watch_simulation();
/// Nothing will happen any more in the simulation, whose ranks and clocks are still there: what is unfinished
/// lasts until now.
void end_simulation();
/// Writes what they have recorded, and forgets it. Answers why not, in one line; empty if all went well.
std::string write_simulated(const std::string& file);

}  // namespace aqueduct::trace::timeline
