// The bridge between a process and the Portals library of its node: how calls, addresses and waiting cross.
//
// The library is the same for everybody; how one gets into it is not. A process on a light-weight kernel
// traps and its memory is contiguous; one on Linux has its pages pinned and listed; a client inside the
// kernel just calls. Each process has one Bridge per interface that it may open, which outlives the
// interface.
//
// enter() and leave() frame every call of the interface; validate() and invalidate() frame the life of
// a descriptor; wait() is where PtlEQWait and PtlEQPoll rest and posted() is what ends that. All are called
// with no lock held, so that they may suspend a fiber; posted() must not.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include "papers/nic/live_wait.hpp"
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

/// The calls that may cost differently.
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

/// What can be made to go wrong with an event.
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

  /// Makes memory known to the network and gives a key for it. PTL_OK, or why not: PTL_VAL_FAILED,
  /// PTL_NO_SPACE, or PTL_MD_ILLEGAL for memory of a form that the bridge does not carry.
  virtual int validate(std::span<const Piece> pieces, MemoryKey& key) = 0;
  virtual void invalidate(MemoryKey key) = 0;

  virtual std::uint64_t now_ns() = 0;
  /// Rests until `activity` is no longer `seen`, or it is `deadline_ns`; may return for no reason. Sees to
  /// progress meanwhile where nobody else does.
  virtual void wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) = 0;
  /// The activity of the process's interface has changed. Called by whoever runs the library.
  virtual void posted() {}
  /// For provoked faults: what goes wrong with the event that is about to be posted. Called with the
  /// interface's lock held.
  virtual EventFault event_fault() { return EventFault::kNone; }
  /// For how many events there is room in a queue that was asked for.
  virtual std::uint64_t queue_events(std::uint64_t asked) { return asked; }
};

}  // namespace aqueduct::portals3
