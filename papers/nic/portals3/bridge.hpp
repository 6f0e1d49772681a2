// The bridge between a process and the Portals library of its node: it carries calls, memory and waiting
// across.
//
// The library is the same for all processes, but the way into it differs. A process on a light-weight kernel
// traps and its memory is contiguous; one on Linux has its pages pinned and listed; a client inside the
// kernel just calls. Each process has one Bridge per interface that it may open, which outlives the
// interface.
//
// enter() and leave() frame every call of the interface; validate() and invalidate() frame the life of
// a descriptor; PtlEQWait and PtlEQPoll rest in wait(), which posted() ends. All are called with no lock
// held, so that they may suspend a fiber; posted() must not.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include "papers/nic/live_wait.hpp"
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

/// The calls with different costs.
enum class Call : std::uint8_t {
  kOpen,        ///< PtlNIInit, PtlNIFini
  kQuery,       ///< ids, status, distance
  kEntry,       ///< match entries and access control
  kDescriptor,  ///< PtlMDAttach, Bind, Unlink, Update
  kQueue,       ///< PtlEQAlloc, PtlEQFree
  kEvent,       ///< PtlEQGet, and each look of PtlEQWait and PtlEQPoll
  kPut,
  kGet,
  kGetPut,
};

struct Identity {
  ptl_uid_t uid = 0;
  ptl_jid_t jid = 0;
};

using nic::Activity;
using nic::kForever;

/// The injected faults of an event.
enum class EventFault : std::uint8_t {
  kNone,
  kQueueFull,  ///< its queue behaves as if it were full
  kFailure,    ///< it reports that its operation has failed
};

class Bridge {
 public:
  virtual ~Bridge() = default;

  virtual Identity identity() const = 0;

  virtual void enter(Call) {}
  virtual void leave(Call) {}

  /// Registers memory with the network and returns a key for it. PTL_OK, or an error: PTL_VAL_FAILED,
  /// PTL_NO_SPACE, or PTL_MD_ILLEGAL for a form of memory that the bridge does not support.
  virtual int validate(std::span<const Piece> pieces, MemoryKey& key) = 0;
  virtual void invalidate(MemoryKey key) = 0;

  virtual std::uint64_t now_ns() = 0;
  /// Rests until `activity` is no longer `seen`, or until `deadline_ns`; may return early. Makes progress
  /// meanwhile if nobody else does.
  virtual void wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) = 0;
  /// The code that runs the library calls this when the activity of the process's interface has changed.
  virtual void posted() {}
  /// For injected faults: the fault of the event that is about to be posted. Called with the interface's lock
  /// held.
  virtual EventFault event_fault() { return EventFault::kNone; }
  /// The number of events in a queue for which a client asked `asked`.
  virtual std::uint64_t queue_events(std::uint64_t asked) { return asked; }
};

}  // namespace aqueduct::portals3
