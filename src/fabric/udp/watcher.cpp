#include "fabric/udp/watcher.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace aqueduct::fabric::udp {
namespace {

/// The watchers of this process: one for each plane that is open.
constexpr unsigned kMostWatchers = 8;
std::atomic<Watcher*> watchers[kMostWatchers];

/// A rank that sleeps looks at the clock itself now and then; one that computes may set a deadline that the
/// watcher has not seen.
constexpr std::uint64_t kLongestWhileRankSleepsNs = 1'000'000'000;
constexpr std::uint64_t kLongestWhileRankComputesNs = 10'000'000;

}  // namespace

Watcher::Watcher(Watched& watched, Doorbell& doorbell, Clock& clock)
    : watched_(watched), doorbell_(doorbell), clock_(clock) {}

bool Watcher::start() {
  call_ = net::Descriptor(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!call_) return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int code = pthread_create(
      &thread_, nullptr,
      [](void* self) -> void* {
        static_cast<Watcher*>(self)->run();
        return nullptr;
      },
      this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = code;
  if (code != 0) return false;
  is_running_ = true;
  pthread_setname_np(thread_, "udp-watcher");
  for (std::atomic<Watcher*>& place : watchers) {
    Watcher* expected = nullptr;
    if (place.compare_exchange_strong(expected, this)) break;
  }
  Doorbell::set_hook(announced);
  return true;
}

Watcher::~Watcher() {
  for (std::atomic<Watcher*>& place : watchers) {
    Watcher* expected = this;
    place.compare_exchange_strong(expected, nullptr);
  }
  if (!is_running_) return;
  is_over_.store(true, std::memory_order_relaxed);
  ::eventfd_write(call_.get(), 1);
  pthread_join(thread_, nullptr);
}

void Watcher::announced(Doorbell& doorbell) {
  for (const std::atomic<Watcher*>& place : watchers) {
    Watcher* const watcher = place.load(std::memory_order_acquire);
    if (watcher && &watcher->doorbell_ == &doorbell) watcher->call_to_duty();
  }
}

void Watcher::call_to_duty() {
  calls_.fetch_add(1);
  if (!on_duty_.exchange(true)) ::eventfd_write(call_.get(), 1);
}

bool Watcher::sleep(bool at_socket, std::uint64_t ns) {
  pollfd polled[] = {{call_.get(), POLLIN, 0}, {watched_.wake_fd(), POLLIN, 0}};
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const timespec timeout{static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  ::ppoll(polled, at_socket ? 2 : 1, &timeout, nullptr);
  eventfd_t calls = 0;
  if (polled[0].revents != 0) ::eventfd_read(call_.get(), &calls);
  return polled[1].revents != 0;
}

void Watcher::run() {
  while (!is_over_.load(std::memory_order_relaxed)) {
    const std::uint64_t seen = watched_.looks();
    sleep(false, kWatchNs);
    if (on_duty_.load() || watched_.looks() == seen) serve();
  }
}

std::uint64_t Watcher::time_to_deadline() const {
  const std::uint64_t longest =
      doorbell_.has_sleepers() ? kLongestWhileRankSleepsNs : kLongestWhileRankComputesNs;
  const std::uint64_t deadline = watched_.deadline_ns();
  if (deadline == Watched::kNever) return longest;
  const std::uint64_t now = clock_.now_ns();
  return deadline <= now ? 0 : std::min(deadline - now, longest);
}

bool Watcher::stand_down(std::uint64_t calls) {
  on_duty_.exchange(false);
  if (calls_.load() == calls) return true;
  on_duty_.exchange(true);
  return false;
}

void Watcher::serve() {
  on_duty_.exchange(true);
  duties_.fetch_add(1, std::memory_order_relaxed);
  bool is_due = true, has_come = false;
  while (!is_over_.load(std::memory_order_relaxed)) {
    const std::uint64_t calls = calls_.load();
    if (is_due) {
      services_.fetch_add(1, std::memory_order_relaxed);
      const bool has_made_work = watched_.service() != 0;
      looks_seen_ = watched_.looks();
      light_fence();
      if (has_made_work && doorbell_.has_sleepers()) {
        doorbell_.ring();
        if (stand_down(calls)) return;
      }
      if (!has_made_work && has_come) ::sched_yield();  // another thread has it in its hands
    } else if (watched_.looks() != looks_seen_ && !doorbell_.has_sleepers() && stand_down(calls)) {
      return;
    }
    const std::uint64_t patience = time_to_deadline();
    has_come = patience != 0 && sleep(true, patience);
    // What has come is the business of a thread that looks.
    const bool somebody_looks = watched_.looks() != looks_seen_ && !doorbell_.has_sleepers();
    is_due = !somebody_looks && (has_come || time_to_deadline() == 0);
  }
}

}  // namespace aqueduct::fabric::udp
