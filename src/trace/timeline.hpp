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
//
// A timeline can be replayed (docs/replay.md), so it says what each wait was for: which operations were seen
// to be complete, whether implicit ones, and which messages were handled meanwhile. A call that only looks
// (Kind::kLook) is recorded if it found something; it then begins with the first of the fruitless calls
// right before it, so a polling loop is one wait. Fruitless calls that something else ends are one wait of
// the name "polling". While a timeline is written every operation has an event, even one that is complete at
// once, because the call that waits for it would be unknown otherwise.
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
  kWait,       ///< a call that waits for operations or messages
  kBarrier,    ///< an arrival at a barrier: `key` is the team, `detail` counts its barriers
  kSend,       ///< a call that sends a message: `key` is message_key()
  kHandler,    ///< a handler that a message runs: likewise
  kStarted,    ///< an instant: the operation of the event `key` goes on after its call has returned
  kCompleted,  ///< an instant: its completion was seen
  kReleased,   ///< an instant: it was seen that the source of that put is free
  kTeam,       ///< an instant: this rank, `peer` of `bytes` members, is in a new team: `key`
  kLook,       ///< not in files: a call that looks and does not wait; becomes kWait
};

/// What Record::local says of calls. Of those that send or put: when the source may change again.
enum class Local : std::uint8_t { kAtReturn, kWhenDone, kCounted };
/// Of waits, bits.
inline constexpr std::uint8_t kLooked = 1;      ///< the call was one that looks
inline constexpr std::uint8_t kIsLoop = 2;      ///< fruitless ones went before
inline constexpr std::uint8_t kImplicit = 4;    ///< implicit operations were complete: `detail` has the mask
inline constexpr std::uint8_t kTrueAtOnce = 8;  ///< the condition of the wait was true when it began
/// Of collectives, bits above the kind: nobody moves data before all have come; nobody leaves before.
inline constexpr std::uint16_t kEnterTogether = 0x100;
inline constexpr std::uint16_t kLeaveTogether = 0x200;
/// Of any call: it has started nothing (GEX_FLAG_IMMEDIATE).
inline constexpr std::uint8_t kNotStarted = 0xff;

inline constexpr std::uint32_t kNoPeer = ~std::uint32_t{0};

/// What is recorded, and how it lies in files. Records of a thread lie in the order of their ends; with their
/// depths that says which lies in which.
struct Record {
  std::uint64_t begin = 0;  ///< in the time of its recorder (trace/recorder.hpp)
  std::uint64_t duration = 0;
  std::uint64_t key = 0;  ///< also the team of a collective
  std::uint64_t bytes = 0;
  std::uint32_t peer = kNoPeer;
  std::uint32_t detail = 0;  ///< the index of a handler, the number of a barrier, the opcode of an atomic; of
                             ///< a wait, how many handlers ran in it before it last went on
  std::uint16_t name = 0;    ///< of the recorder's names
  Kind kind = Kind::kNone;
  std::uint8_t thread = 0;
  std::uint8_t depth = 0;   ///< how many slices it lies in
  std::uint8_t local = 0;   ///< see Local, kLooked and kNotStarted
  std::uint16_t extra = 0;  ///< arguments of a message; 1 + the kind of a collective; the type of an atomic
};
static_assert(sizeof(Record) == 48);

/// A call of this rank, recorded when it goes out of scope. `name` lives for ever.
class Slice {
 public:
  Slice(const char* name, Kind kind) {
    if (is_on()) [[unlikely]]
      begin(name, kind);
  }
  ~Slice() {
    if (is_recorded()) [[unlikely]]
      end();
  }
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  /// A wait goes on: what was handled in it so far has not ended it.
  void go_on() {
    record_.detail = inside_;
    record_.local &= static_cast<std::uint8_t>(~kTrueAtOnce);
  }
  /// It has started nothing.
  void mark_not_started() {
    if (is_recorded()) record_.local = kNotStarted, record_.kind = Kind::kOperation;
  }

  /// Whether it will be recorded; then more may be said of it.
  bool is_recorded() const { return record_.kind != Kind::kNone; }
  Record& record() { return record_; }

 private:
  void begin(const char* name, Kind kind);
  void end();

  friend void keep_open();
  friend void note_end_of_wait();
  friend void add_inside(Slice* slice);

  Slice* outer_ = nullptr;
  std::uint32_t inside_ = 0;  ///< records that lie directly in it
  bool is_kept_ = false;      ///< as one that is open
  bool has_found_ = false;    ///< records lie in it, or it has seen what it waits for
  Record record_;
};

/// The caller's thread waits for long in the innermost slice that is open: it is shown as unfinished should
/// the rank be killed there, or its simulation end. The thread calls it again now and then as long as it
/// waits.
void keep_open();

/// Of the innermost slice that is open in the caller's thread: whom it is about. Does nothing where none is.
void describe(std::uint32_t peer, std::uint64_t bytes);
void describe_message(std::uint32_t peer, std::uint64_t bytes, std::uint64_t key, std::uint8_t handler,
                      unsigned arguments, Local local = Local::kAtReturn);
void describe_barrier(std::uint32_t team, std::uint64_t number);
void describe_collective(std::uint32_t peer, std::uint64_t bytes, std::uint32_t team, std::uint16_t kind);
void describe_atomic(std::uint32_t peer, std::uint32_t opcode, std::uint16_t type);
void describe_local(Local local);

/// The wait that is open has seen what it waits for: it is recorded however short it was.
void note_end_of_wait();
/// Likewise, and that was the implicit operations of these categories.
void note_implicit(std::uint32_t categories);

/// The operation of an event goes on; its event was completed; the source of a put, `event`, is free. Under
/// the name of the slice that is open.
void started(const void* event);
void completed(const void* event);
void released(const void* event);
/// This rank is now the member `rank` of a team that has so many.
void joined_team(std::uint32_t team, std::uint32_t rank, std::uint64_t members);

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
std::string write_simulated(const std::string& file, bool has_failed = false);

}  // namespace aqueduct::trace::timeline
