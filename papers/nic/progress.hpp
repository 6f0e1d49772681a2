// What makes progress for an interface where nobody else does: live networks, which move in calls.
//
// Threads: any.
#pragma once

namespace aqueduct::nic {

class Progress {
 public:
  /// Moves what can be moved and reports it; returns how many reports that were. Where the network moves by
  /// itself it does nothing.
  virtual unsigned progress() = 0;

 protected:
  ~Progress() = default;
};

}  // namespace aqueduct::nic
