// What every client of Portals inside this library needs: a share of the default interface, and error lines.
//
// Several clients share one interface, each with its own portal table entries; the last one to go closes it.
// An error at set-up or a failed operation ends the job with one line that names the client, because no
// caller could repair it.
//
// Threads: any, after construction.
#pragma once
#include "papers/nic/portals3/doorbells.hpp"
#include "portals3.h"

namespace aqueduct::portals3 {

/// Ends the job unless `code` is PTL_OK; the line names the client and the call.
void check(const char* client, int code, const char* what);

class Client {
 public:
  /// `name` begins its error lines.
  explicit Client(const char* name);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  ptl_handle_ni_t ni() const { return ni_; }
  NodeId node() const { return self_.nid; }
  /// The process with our pid on that node.
  ptl_process_id_t process(NodeId node) const { return {node, self_.pid}; }
  static constexpr ptl_process_id_t anybody() { return {PTL_NID_ANY, PTL_PID_ANY}; }
  /// The bell at which its threads sleep; senders ring it. Null in a simulation.
  Doorbell* doorbell(NodeId node) const { return doorbell_of(ni_, node); }

  void check(int code, const char* what) const { portals3::check(name_, code, what); }
  /// Ends the job if the event reports a failure; the line names the operation and the peer.
  void check_event(const ptl_event_t& event) const;

 private:
  const char* name_;
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  ptl_process_id_t self_{};
};

/// A descriptor over [start, start + bytes) without a threshold and without START events. `mark` identifies
/// its events.
ptl_md_t descriptor(void* start, std::size_t bytes, unsigned options, void* mark, ptl_handle_eq_t queue);

}  // namespace aqueduct::portals3
