// Deferred tasks: work of protocols that cannot be done in a handler, such as sending a request.
//
// A task is on the list while it may have something to do; poll() then runs it. Tasks run under a try-lock,
// one thread at a time, and never wait: what cannot be sent now is left for the next poll.
//
// Threads: any may call, not in handlers; where the rank has one thread, locks exchange nothing. The list
// owns nothing; whoever destroys a task takes it off first.
#pragma once
#include <vector>

#include "base/spin_lock.hpp"
#include "core/rank.hpp"

namespace aqueduct::extended {

/// How far a task has come: nothing that a thread may wait for is complete; something is; and
/// nothing is left to do until it is added again.
enum class Advance { kWaiting, kMoved, kFinished };

class DeferredTask {
 public:
  /// Does what can be done now, without waiting.
  virtual Advance advance(core::Thread& thread) = 0;

 protected:
  ~DeferredTask() = default;

 private:
  friend class DeferredTasks;
  bool listed_ = false;
};

class DeferredTasks {
 public:
  explicit DeferredTasks(core::Rank& rank);
  bool are_shared() const { return rank_.threaded(); }

  /// Makes sure that `task` is advanced after this call, at the latest by the next poll.
  void add(DeferredTask& task);
  /// When it returns, `task` is not being advanced and will not be.
  void remove(DeferredTask& task);

 private:
  bool run(core::Thread& thread);
  void take_off(std::size_t index);
  void count(int change);

  core::Rank& rank_;
  OptionalSpinLock lock_;
  std::vector<DeferredTask*> list_;
};

}  // namespace aqueduct::extended
