#include "core/network_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <system_error>

namespace aqueduct::core {
namespace {

// Where the watch cannot be had, nobody sleeps for long.
constexpr std::uint64_t kWithoutWatchNs = 200'000;

}  // namespace

NetworkWatch::NetworkWatch(conduit::Conduit& conduit, Doorbell* bell, bool is_alone)
    : conduit_(conduit), bell_(bell ? *bell : own_bell_), is_alone_(is_alone) {}

NetworkWatch::~NetworkWatch() {
  if (watch_.joinable()) {
    must_end_.store(true);
    wake_watch();
    watch_.join();
  }
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

bool NetworkWatch::sleep(std::uint32_t bell_seen, std::uint64_t timeout_ns) {
  if (!conduit_.may_sleep()) {
    bell_.withdraw();
    return true;
  }
  if (is_alone_) {
    bell_.withdraw();
    pollfd network{conduit_.wake_descriptor(), POLLIN, 0};
    const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000u),
                           static_cast<long>(timeout_ns % 1'000'000'000u)};
    return ::ppoll(&network, 1, &timeout, nullptr) > 0;
  }
  if (!is_armed_.load(std::memory_order_acquire)) {
    if (!start()) return bell_.sleep(bell_seen, std::min(timeout_ns, kWithoutWatchNs));
    if (!is_armed_.exchange(true, std::memory_order_acq_rel)) wake_watch();
  }
  return bell_.sleep(bell_seen, timeout_ns);
}

bool NetworkWatch::start() {
  const std::lock_guard guard(start_mutex_);
  if (has_tried_) return watch_.joinable();
  has_tried_ = true;
  wake_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) return false;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    watch_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // watch_ says so
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return watch_.joinable();
}

void NetworkWatch::wake_watch() {
  const std::uint64_t one = 1;
  (void)!::write(wake_fd_, &one, sizeof one);
}

void NetworkWatch::run() {
  while (!must_end_.load()) {
    pollfd watched[] = {{wake_fd_, POLLIN, 0}, {conduit_.wake_descriptor(), POLLIN, 0}};
    const bool is_armed = is_armed_.load(std::memory_order_acquire);
    if (::poll(watched, is_armed ? 2 : 1, -1) <= 0) continue;
    if (watched[0].revents != 0) {
      std::uint64_t count;
      (void)!::read(wake_fd_, &count, sizeof count);
    }
    if (!is_armed || watched[1].revents == 0) continue;
    // Who sleeps from now on arms it again.
    is_armed_.store(false, std::memory_order_release);
    bell_.ring();
  }
}

}  // namespace aqueduct::core
