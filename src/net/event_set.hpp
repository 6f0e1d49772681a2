// What a supervisor or an agent waits at: one epoll set. It reports what has happened in the order in which
// it did, which is what makes "the first cause" of an ending more than a guess.
#pragma once
#include <sys/epoll.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <span>

#include "base/clock.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::net {

/// What is ready. The index tells several of a kind apart; its meaning is that of whoever watches.
enum class EventKind : std::uint32_t {
  kSignal,       ///< to this process
  kLifeline,     ///< the guard is gone
  kProcess,      ///< a rank has ended
  kControl,      ///< a rank announces something
  kStream,       ///< a rank has written
  kSink,         ///< our own output takes more
  kRendezvous,   ///< somebody registers
  kEnrolment,    ///< a rank that somebody else has started comes to its warden
  kInput,        ///< standard input has something for rank 0
  kRankInput,    ///< rank 0 takes more of it
  kLinkIn,       ///< an agent, or the launcher, says something
  kLinkOut,      ///< and takes more
  kShellErrors,  ///< what has started an agent complains
  kInquiry,      ///< somebody wants to know how the job is
  kReach,        ///< a way to the first host answers
};

struct Event {
  EventKind kind;
  std::uint32_t index;
  std::uint32_t flags;  ///< of epoll
};

class EventSet {
 public:
  EventSet() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  /// False with errno where that cannot be waited at (a file: it is always ready), or is watched already.
  /// Closing a descriptor ends its watch.
  bool watch(int fd, EventKind kind, std::uint32_t index, std::uint32_t flags) {
    epoll_event event = {};
    event.events = flags;
    event.data.u64 = std::uint64_t{static_cast<std::uint32_t>(kind)} << 32 | index;
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
  }
  void unwatch(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

  /// Waits until something is ready, or for so long (-1: for ever). The result is valid until the next call.
  std::span<const Event> wait(int timeout_ms) {
    epoll_event ready[kAtOnce];
    const int count = epoll_wait(epoll_.get(), ready, kAtOnce, timeout_ms);
    for (int i = 0; i < count; ++i) {
      events_[i] = {static_cast<EventKind>(ready[i].data.u64 >> 32),
                    static_cast<std::uint32_t>(ready[i].data.u64), ready[i].events};
    }
    return {events_, count > 0 ? static_cast<std::size_t>(count) : 0};
  }
  /// Or until this time of the machine's clock; ~0: for ever.
  std::span<const Event> wait_until(std::uint64_t at_ns) {
    if (at_ns == ~std::uint64_t{0}) return wait(-1);
    const std::uint64_t now_ns = machine_clock().now_ns();
    const std::uint64_t wait_ms = at_ns > now_ns ? (at_ns - now_ns) / 1'000'000 + 1 : 0;
    return wait(static_cast<int>(std::min<std::uint64_t>(wait_ms, INT_MAX)));
  }

 private:
  static constexpr int kAtOnce = 64;

  Descriptor epoll_;
  Event events_[kAtOnce] = {};
};

}  // namespace aqueduct::net
