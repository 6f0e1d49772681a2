// progress_thread: while it exists, a thread of its own answers other ranks, so that they do not wait for a
// rank that computes. For -DGASNET_PAR.
//
//   aqueduct::progress_thread helper;
//   compute_for_long();
//
// Functions that messages run then run on that thread, tasks that they return too; they share what they touch
// with the program's own threads. It looks every `pause`; 0: all the time, which takes a core.
#ifndef AQUEDUCT_CXX_PROGRESS_THREAD_HPP_
#define AQUEDUCT_CXX_PROGRESS_THREAD_HPP_

#include <atomic>
#include <chrono>
#include <thread>

#include "aqueduct/cxx/run.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

template <bool kAllowed = detail::kThreads>
class basic_progress_thread {
  static_assert(kAllowed, "a progress thread is for programs of several threads: compile with -DGASNET_PAR");

 public:
  explicit basic_progress_thread(std::chrono::microseconds pause = std::chrono::microseconds(20))
      : thread_([this, pause] {
          while (!is_over_.load(std::memory_order_relaxed)) {
            progress();
            if (pause.count()) std::this_thread::sleep_for(pause);
          }
        }) {}
  ~basic_progress_thread() {
    is_over_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  basic_progress_thread(const basic_progress_thread&) = delete;
  basic_progress_thread& operator=(const basic_progress_thread&) = delete;

 private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};
using progress_thread = basic_progress_thread<>;

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
