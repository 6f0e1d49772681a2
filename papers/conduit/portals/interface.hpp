// The conduit's Portals interface with its three event queues, and error lines.
//
//   SAFE_EQ  events that only free resources or bring replies: may be taken at any time
//   AM_EQ    events that may run request handlers: taken only with the resources of a reply reserved
//   SYS_EQ   the conduit's own control messages
//
// A call that fails, an event that was lost, or an operation that failed ends the job with one line.
#pragma once
#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "papers/nic/portals3/client.hpp"

namespace aqueduct::conduit::portals {

inline constexpr char kName[] = "portals";

/// Ends the job unless `code` is PTL_OK.
inline void check(int code, const char* what) { portals3::check(kName, code, what); }
using portals3::descriptor;

/// An event queue of Portals from which any thread may take.
class LockedEventQueue {
 public:
  LockedEventQueue() = default;
  LockedEventQueue(const LockedEventQueue&) = delete;
  LockedEventQueue& operator=(const LockedEventQueue&) = delete;

  void open(ptl_handle_ni_t ni, std::size_t events, const char* name);
  ptl_handle_eq_t handle() const { return handle_; }

  /// Takes the next event, if there is one and no other thread is taking one. Lost events end the job.
  bool get(ptl_event_t* event);
  /// The same; `taken` runs before another thread may take the next.
  template <class Taken>
  bool get(ptl_event_t* event, Taken&& taken) {
    if (!lock_.try_lock()) return false;
    const bool got = get_locked(event);
    if (got) taken(*event);
    lock_.unlock();
    return got;
  }

 private:
  bool get_locked(ptl_event_t* event);

  const char* name_ = "";
  ptl_handle_eq_t handle_ = PTL_EQ_NONE;
  SpinLock lock_;
};

struct QueueSizes {
  std::size_t safe = 0, am = 0, sys = 0;
};

class InterfaceClient : public portals3::Client {
 public:
  /// Rank r is the process with the same pid on node r; `self` must be this node.
  explicit InterfaceClient(RankId self);

  void open_queues(const QueueSizes& sizes);

  LockedEventQueue safe, am, sys;
};

}  // namespace aqueduct::conduit::portals
