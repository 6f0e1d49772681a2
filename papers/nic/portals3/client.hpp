// What every client of Portals inside this library needs: a share of the default interface, and the words for
// what goes wrong.
//
// Several clients share one interface, each with portal table entries of its own; the last one to go closes
// it. An error that Portals reports at set-up or an operation that failed ends the job with one line that
// names the client: there is no caller who could repair it.
//
// Threads: any, after construction.
#pragma once
#include "papers/nic/portals3/doorbells.hpp"
#include "portals3.h"

namespace aqueduct::portals3 {

/// Ends the job unless `code` is PTL_OK; says for whom and of what.
void check(const char* client, int code, const char* what);

class Client {
 public:
  /// `name` begins its lines.
  explicit Client(const char* name);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  ptl_handle_ni_t ni() const { return ni_; }
  NodeId node() const { return self_.nid; }
  /// The process with our pid on that node.
  ptl_process_id_t process(NodeId node) const { return {node, self_.pid}; }
  static constexpr ptl_process_id_t anybody() { return {PTL_NID_ANY, PTL_PID_ANY}; }
  /// Where its threads sleep; whoever sends to it rings there. Null in a simulation.
  Doorbell* doorbell(NodeId node) const { return doorbell_of(ni_, node); }

  void check(int code, const char* what) const { portals3::check(name_, code, what); }
  /// Ends the job if the event reports a failure; says of what and with whom.
  void check_event(const ptl_event_t& event) const;

 private:
  const char* name_;
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  ptl_process_id_t self_{};
};

/// A descriptor over [start, start + bytes) that lasts, without START events. `mark` finds its events.
ptl_md_t descriptor(void* start, std::size_t bytes, unsigned options, void* mark, ptl_handle_eq_t queue);

}  // namespace aqueduct::portals3
