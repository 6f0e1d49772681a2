// The common base of the libraries' processes: the device below, one lock, and a count of changes for threads
// that wait (nic/ugni/process.hpp, nic/extoll/process.hpp).
//
// The lock is held for the few hundred instructions of a call or an arrival. Waking waiting threads may take
// time, so it happens after the lock is released, at the end of a Section.
#pragma once
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/nic/device.hpp"

namespace aqueduct::nic {

template <class Device>
class LockedProcess {
 public:
  LockedProcess(const LockedProcess&) = delete;
  LockedProcess& operator=(const LockedProcess&) = delete;

  Device& device() const { return device_; }
  /// Changes with everything that a thread of the process may wait for.
  const Activity& activity() const { return activity_; }

 protected:
  /// The device outlives it.
  explicit LockedProcess(Device& device) : device_(device), self_(device.self()), limits_(device.limits()) {}
  ~LockedProcess() = default;

  /// Holds the lock while it lives, then wakes waiting threads if something has changed.
  class Section {
   public:
    explicit Section(LockedProcess& process) : process_(process) { process_.lock_.lock(); }
    ~Section() {
      const bool news = std::exchange(process_.news_, false);
      process_.lock_.unlock();
      if (news) process_.device_.posted();
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    LockedProcess& process_;
  };

  // Under the lock.
  void changed() {
    activity_.fetch_add(1, std::memory_order_release);
    news_ = true;
  }
  void mark_lost(fabric::NodeId node) {
    lost_.resize(device_.nodes());
    lost_[node] = true;
  }
  bool is_lost(fabric::NodeId node) const { return node < lost_.size() && lost_[node]; }

  Device& device_;
  const fabric::NodeId self_;
  const decltype(std::declval<const Device&>().limits()) limits_;
  Activity activity_{0};

 private:
  SpinLock lock_;  // guards what follows, and all members that the library adds
  bool news_ = false;
  std::vector<bool> lost_;  // empty while no node is lost
};

}  // namespace aqueduct::nic
