// Makes progress on live networks, which move only in calls.
//
// Threads: any.
#pragma once

namespace aqueduct::nic {

class Progress {
 public:
  /// Moves what can be moved and returns how many reports it has made. Does nothing if the network moves by
  /// itself.
  virtual unsigned progress() = 0;

 protected:
  ~Progress() = default;
};

}  // namespace aqueduct::nic
