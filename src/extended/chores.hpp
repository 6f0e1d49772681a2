// Chores: protocols that have something to send and cannot do it in the handler that told them so.
//
// A chore is on the list while it may have something to do; poll() then runs it. Chores run under a try-lock,
// one thread at a time, and never wait: what cannot be sent now is left for the next poll.
//
// Threads: any may call, not in handlers. The list owns nothing; whoever destroys a chore takes it off first.
#pragma once
#include <vector>

#include "base/spin_lock.hpp"
#include "core/rank.hpp"

namespace aqueduct::extended {

/// How far a chore has come: nothing that a thread may wait for is complete; something is; and nothing is
/// left to do until it is added again.
enum class Advance { kWaiting, kMoved, kFinished };

class Chore {
 public:
  /// Does what can be done now, without waiting.
  virtual Advance advance(core::Thread& thread) = 0;

 protected:
  ~Chore() = default;

 private:
  friend class Chores;
  bool listed_ = false;
};

class Chores {
 public:
  explicit Chores(core::Rank& rank);

  /// Makes sure that `chore` is advanced after this call, at the latest by the next poll.
  void add(Chore& chore);
  /// When it returns, `chore` is not being advanced and will not be.
  void remove(Chore& chore);

 private:
  bool run(core::Thread& thread);
  void take_off(std::size_t index);

  core::Rank& rank_;
  SpinLock lock_;
  std::vector<Chore*> list_;
};

}  // namespace aqueduct::extended
