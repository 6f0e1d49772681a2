// The progress thread: answers other ranks while the threads of this one compute
// (aqueduct/progress_thread.h). It looks for messages when nobody else has done so for a while.
//
// Off duty it sleeps, and sees once in `idle_ns` whether somebody has looked meanwhile. If nobody has, it
// goes on duty: it looks for messages, asleep at the rank's doorbell or the network's descriptor in between.
// It goes off duty when somebody else comes. So a rank that calls the library pays one short wake-up in
// `idle_ns`, and nobody rings for this thread while others look.
//
// A rank with one thread (GASNET_SEQ) takes no locks. There the progress thread uses that thread's record in
// its stead, while that one is away. Each says so, then looks at what the other has said:
//
//   client:  is_away = false; light_fence(); if is_acting: wait until it is not
//   here:    is_acting = true; heavy_fence(); if is_away: poll; is_acting = false
//
// By the fences (base/fence.hpp) one of them sees the other: either the client waits until the poll is over,
// or the progress thread does not poll. The client pays a store and a load.
//
// A rank with several threads sees one more thread that polls, from the first time on that it is on duty.
//
// It takes no signals but those of its own faults, and of a rank with several threads the one that asks where
// a thread is (core/position_signal.hpp). It exists until the process ends; stop() ends what it does.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

#include "base/fence.hpp"
#include "base/types.hpp"
#include "core/rank.hpp"

namespace aqueduct::core {

class ProgressThread {
 public:
  /// `client` is the record of the thread that started the rank.
  ProgressThread(Rank& rank, Thread& client, std::uint64_t idle_ns);

  /// By the client's thread.
  void away() {
    is_away_.store(true, std::memory_order_release);
    if (!has_tried_.load(std::memory_order_relaxed)) [[unlikely]]
      start();
  }
  void back() {
    visits_.store(visits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    is_away_.store(false, std::memory_order_relaxed);
    light_fence();
    if (is_acting_.load(std::memory_order_acquire)) [[unlikely]]
      wait_for_it();
  }
  /// For the end of the process: it polls no more. Any thread.
  void stop();
  /// In a signal handler on the client's thread: whether the record of that thread may be in use here. If
  /// not, it is not until the handler returns.
  bool may_act_for_client() const {
    if (is_away_.load(std::memory_order_relaxed)) return true;
    light_fence();
    return is_acting_.load(std::memory_order_acquire);
  }

 private:
  void start();
  void run();
  /// Whether other threads have looked for messages, or been in the library, since the last call.
  bool somebody_came();
  /// Polls until there is nothing, unless the client is there; how much there was.
  unsigned act();
  unsigned act_as_client();
  void rest();
  void wait_for_it() const;

  Rank& rank_;
  Thread& client_;
  Thread* own_ = nullptr;  // of a rank with several threads, once it has polled
  const std::uint64_t idle_ns_;
  std::uint64_t sleep_ns_ = 0;
  unsigned in_vain_ = 0;  // rests without a sleep that brought nothing
  std::uint64_t seen_ = 0;
  std::atomic<bool> has_tried_{false};
  std::atomic<std::thread::id> id_{};
  std::atomic<bool> must_stop_{false};

  alignas(kCacheLine) std::atomic<bool> is_away_{false};
  std::atomic<bool> is_acting_{false};
  std::atomic<std::uint32_t> visits_{0};
};

}  // namespace aqueduct::core
