// Finds the process of an interface's library that a call belongs to: in a simulation that of the running
// fiber, otherwise the only one of this (live) process.
//
// `Process` derives from this and has a static function open_live(), which makes the live one at its first
// use; it stays until the program ends.
//
// Threads: any.
#pragma once
#include <atomic>
#include <mutex>
#include <utility>

#include "base/context.hpp"
#include "base/spin_lock.hpp"

namespace aqueduct::nic {

template <class Process>
class CurrentProcess {
 public:
  /// The process of the running fiber, otherwise the live one, otherwise null.
  static Process* current() {
    if (current_context.nic != nullptr) return static_cast<Process*>(current_context.nic);
    return live_process_.load(std::memory_order_acquire);
  }
  /// Makes `process` the calling context's current one (base/context.hpp), so that it changes together with
  /// the fiber; returns the one before.
  static Process* exchange_current(Process* process) {
    return static_cast<Process*>(std::exchange(current_context.nic, process));
  }

  class Current {
   public:
    explicit Current(Process* process) : before_(exchange_current(process)) {}
    ~Current() { exchange_current(before_); }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    Process* before_;
  };

  /// The live process, made if needed.
  static Process* live() {
    if (Process* process = live_process_.load(std::memory_order_acquire)) return process;
    std::lock_guard lock{making_};
    if (Process* process = live_process_.load(std::memory_order_acquire)) return process;
    Process* const process = Process::open_live();
    live_process_.store(process, std::memory_order_release);
    return process;
  }

 private:
  static inline constinit std::atomic<Process*> live_process_{nullptr};
  static inline constinit SpinLock making_;
};

}  // namespace aqueduct::nic
