// The conduit's hold of a Portals interface: the interface itself, three event queues, and the words for what
// goes wrong.
//
//   SAFE_EQ  events that only free resources or bring replies: may be taken at any time
//   AM_EQ    events that may run request handlers: taken only with the means for a reply in hand
//   SYS_EQ   the conduit's own control messages
//
// An error that Portals reports at set-up, an event that was lost, or an operation that failed ends the job
// with one line: there is no caller who could repair it.
#pragma once
#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "nic/portals3/doorbells.hpp"
#include "portals3.h"

namespace aqueduct::conduit::portals {

/// Ends the job unless `code` is PTL_OK.
void check(int code, const char* what);

class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  void open(ptl_handle_ni_t ni, std::size_t events, const char* name);
  ptl_handle_eq_t handle() const { return handle_; }

  /// Takes the next event, if there is one and no other thread is just taking one. Lost events end the job.
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

class Interface {
 public:
  explicit Interface(RankId self);
  ~Interface();
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  void open_queues(const QueueSizes& sizes);

  ptl_handle_ni_t ni() const { return ni_; }
  /// Rank r is the process with our pid on node r.
  ptl_process_id_t process(RankId rank) const { return {rank, pid_}; }
  static constexpr ptl_process_id_t anybody() { return {PTL_NID_ANY, PTL_PID_ANY}; }

  /// Where the threads of `rank` sleep; whoever sends to it rings there. Null in a simulation.
  Doorbell* doorbell(RankId rank) const { return portals3::doorbell_of(ni_, rank); }

  /// Ends the job if the event reports a failure; says of what and with whom.
  void check_event(const ptl_event_t& event) const;

  EventQueue safe, am, sys;

 private:
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  ptl_pid_t pid_ = 0;
};

/// A descriptor over [start, start + bytes) that lasts, without START events.
ptl_md_t descriptor(void* start, std::size_t bytes, unsigned options, void* role, ptl_handle_eq_t queue);

}  // namespace aqueduct::conduit::portals
