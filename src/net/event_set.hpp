// The events of a supervisor, an agent or a warden: one epoll set, with a handler for each descriptor. It
// calls handlers in the order in which the kernel reports events, so that the "first cause" of an ending is
// the real one.
//
//   events.watch(fd, EPOLLIN, [this](std::uint32_t flags) { serve(flags); });
//   for (;;) {
//     events.wait_until(at_ns);
//     while (events.serve_next()) {}
//   }
//
// A handler may watch and unwatch any descriptor, also its own. It is not called any more once its descriptor
// is unwatched, nor for a later descriptor of the same number. Closing a descriptor ends its watch as well,
// but an event that was ready may still be served: so the owner of a handler outlives the descriptor, or
// unwatches before closing. One thread.
#pragma once
#include <sys/epoll.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/clock.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::net {

class EventSet {
 public:
  /// Called with the flags of epoll. If it is empty, the descriptor only ends waits.
  using Handler = std::function<void(std::uint32_t flags)>;

  EventSet() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  /// False with errno if epoll cannot watch it (a file is always ready), or it is watched already.
  bool watch(int fd, std::uint32_t flags, Handler handler) {
    epoll_event event = {};
    event.events = flags;
    event.data.u64 = std::uint64_t{last_watch_ + 1} << 32 | static_cast<std::uint32_t>(fd);
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return false;
    watched_[fd] = {++last_watch_, std::move(handler)};
    return true;
  }
  void unwatch(int fd) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    watched_.erase(fd);
  }

  /// Waits until something is ready, or for `timeout_ms` (-1: for ever). Drops events that were not served;
  /// the kernel reports them again.
  void wait(int timeout_ms) {
    next_ = 0;
    count_ = std::max(epoll_wait(epoll_.get(), ready_, kAtOnce, timeout_ms), 0);
  }
  /// The same until this time of the machine's clock; ~0: for ever.
  void wait_until(std::uint64_t at_ns) {
    if (at_ns == ~std::uint64_t{0}) return wait(-1);
    const std::uint64_t now_ns = machine_clock().now_ns();
    const std::uint64_t wait_ms = at_ns > now_ns ? (at_ns - now_ns) / 1'000'000 + 1 : 0;
    wait(static_cast<int>(std::min<std::uint64_t>(wait_ms, INT_MAX)));
  }
  /// Calls the handler of the next descriptor that was ready. False if there is none.
  bool serve_next() {
    if (next_ == count_) return false;
    const epoll_event event = ready_[next_++];
    const auto found = watched_.find(static_cast<int>(event.data.u64 & UINT32_MAX));
    if (found == watched_.end() || found->second.number != event.data.u64 >> 32) return true;
    const Handler handler = found->second.handler;  // it may end its own watch
    if (handler) handler(event.events);
    return true;
  }

 private:
  struct Watched {
    std::uint32_t number = 0;  ///< distinguishes it from earlier watches of this descriptor
    Handler handler;
  };
  static constexpr int kAtOnce = 64;

  Descriptor epoll_;
  std::unordered_map<int, Watched> watched_;
  std::uint32_t last_watch_ = 0;
  epoll_event ready_[kAtOnce] = {};
  int count_ = 0;
  int next_ = 0;
};

}  // namespace aqueduct::net
