#include "papers/nic/progress_thread.hpp"

#include <pthread.h>

#include <csignal>
#include <ctime>

#include "base/spin_lock.hpp"

namespace aqueduct::nic {
namespace {

/// After the last message the progress thread looks so often before it sleeps: so it finds a series of
/// messages without a ring, and still frees its core within a few microseconds.
constexpr unsigned kLooks = 100;

/// A sleep at the doorbell ends after this, to retry sends for which there was no room.
constexpr std::uint64_t kLongestSleepNs = 50'000'000;

}  // namespace

bool ProgressThread::start(const char* name) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int code = pthread_create(
      &thread, nullptr,
      [](void* self) -> void* {
        static_cast<ProgressThread*>(self)->run();
        return nullptr;
      },
      this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (code != 0) return false;
  pthread_setname_np(thread, name);
  pthread_detach(thread);
  return true;
}

void ProgressThread::relieve() {
  if (on_duty_.exchange(false, std::memory_order_relaxed)) doorbell_.ring();
}

void ProgressThread::run() {
  for (;;) {
    const std::uint32_t seen = attention_.load(std::memory_order_relaxed);
    const timespec watch{0, static_cast<long>(kWatchNs)};
    ::nanosleep(&watch, nullptr);
    if (attention_.load(std::memory_order_relaxed) == seen && !doorbell_.has_sleepers()) serve();
  }
}

void ProgressThread::serve() {
  on_duty_.store(true, std::memory_order_relaxed);
  while (on_duty_.load(std::memory_order_relaxed)) {
    for (unsigned looks = 0; looks < kLooks; ++looks) {
      if (network_.progress() != 0) looks = 0;
      cpu_pause();
    }
    const std::uint32_t bell = doorbell_.announce();
    if (network_.progress() == 0 && on_duty_.load(std::memory_order_relaxed)) {
      doorbell_.sleep(bell, kLongestSleepNs);
    } else {
      doorbell_.withdraw();
    }
  }
}

}  // namespace aqueduct::nic
