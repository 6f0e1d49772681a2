#include "core/progress_thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include "core/progress.hpp"

namespace aqueduct::core {
namespace {

void sleep_for(std::uint64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

}  // namespace

ProgressThread::ProgressThread(Rank& rank, Thread& client, std::uint64_t idle_ns)
    : rank_(rank), client_(client), idle_ns_(idle_ns) {
  if (!rank.threaded()) client.stand_in = this;
}

// Without a thread the program is as it was.
void ProgressThread::start() {
  if (has_tried_.exchange(true)) return;
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&blocked, fault);
  const auto asking = static_cast<int>(rank_.own_record().shared()->signal);
  if (rank_.threaded() && asking != 0) sigdelset(&blocked, asking);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  try {
    std::thread([this] { run(); }).detach();
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ProgressThread::stop() {
  // A forked child has no such thread, but perhaps the word of one.
  constexpr auto kMost = std::chrono::seconds(1);
  must_stop_.store(true, std::memory_order_relaxed);
  heavy_fence();
  const auto begin = std::chrono::steady_clock::now();
  while (is_acting_.load(std::memory_order_acquire) && std::this_thread::get_id() != id_.load() &&
         std::chrono::steady_clock::now() - begin < kMost)
    ::sched_yield();
}

void ProgressThread::wait_for_it() const {
  while (is_acting_.load(std::memory_order_acquire)) ::sched_yield();
}

void ProgressThread::run() {
  id_.store(std::this_thread::get_id());
  bool on_duty = false;
  while (!must_stop_.load(std::memory_order_relaxed)) {
    if (!on_duty) sleep_for(idle_ns_);
    on_duty = !somebody_came();
    if (!on_duty || act() != 0) {
      sleep_ns_ = 0;
    } else {
      rest();
    }
  }
}

bool ProgressThread::somebody_came() {
  std::uint64_t now = 0;
  if (!rank_.threaded()) {
    now = visits_.load(std::memory_order_relaxed);
    if (!is_away_.load(std::memory_order_relaxed)) return true;
  } else {
    rank_.for_each_thread([&](const Thread& thread) {
      if (&thread != own_ && thread.record) now += thread.record->counters.polls.get();
    });
    // Who waits wakes up by itself.
    const job::Activity* const activity = rank_.activity();
    if (activity && activity->waiting.load(std::memory_order_relaxed) != 0) return true;
  }
  const bool came = now != seen_;
  seen_ = now;
  return came;
}

unsigned ProgressThread::act() {
  if (!rank_.threaded() && !is_away_.load(std::memory_order_relaxed)) return 0;
  is_acting_.store(true, std::memory_order_relaxed);
  heavy_fence();
  unsigned found = 0;
  if (!must_stop_.load(std::memory_order_relaxed)) {
    if (!rank_.threaded()) {
      found = act_as_client();
    } else {
      if (!own_) own_ = &rank_.enter_thread();
      found = poll_everything(*own_, Scope::kAll);
    }
  }
  is_acting_.store(false, std::memory_order_release);
  return found;
}

unsigned ProgressThread::act_as_client() {
  unsigned found = 0;
  if (!is_away_.load(std::memory_order_acquire)) return found;
  current_context.thread = &client_;
  unsigned now = 0;
  do {
    now = poll_everything(client_, Scope::kAll);
    found += now;
  } while (now != 0 && is_away_.load(std::memory_order_acquire));
  current_context.thread = nullptr;
  return found;
}

void ProgressThread::rest() {
  constexpr unsigned kMostInVain = 8;
  constexpr std::uint64_t kLeastNs = 50'000;
  constexpr std::uint64_t kMostUnwokenNs = 1'000'000;
  const WaitPolicy& wait_policy = rank_.wait_policy;
  const std::uint64_t least_ns = std::max(wait_policy.sleep_min_ns, kLeastNs);
  Doorbell* const bell = rank_.doorbell();
  const bool must_look = rank_.beyond_neighbours.unannounced.load(std::memory_order_relaxed) != 0;
  if (!bell || rank_.may_oversleep() || must_look || in_vain_ > kMostInVain) {
    in_vain_ = 0;
    sleep_ns_ = std::clamp(2 * sleep_ns_, least_ns, std::max(kMostUnwokenNs, least_ns));
    return sleep_for(sleep_ns_);
  }
  const std::uint32_t bell_seen = bell->announce();
  if (act() != 0) return bell->withdraw();
  sleep_ns_ = std::clamp(2 * sleep_ns_, least_ns, std::max(wait_policy.sleep_max_ns, least_ns));
  // A network may refuse to let anybody sleep while it has something under way.
  const bool rang = rank_.sleep(bell_seen, sleep_ns_);
  in_vain_ = rang ? in_vain_ + 1 : 0;
  if (rang) sleep_ns_ = 0;
}

}  // namespace aqueduct::core
