// When a port is due at the latest: the least deadline of its links. Any thread that changes a link lowers
// it; now and then one thread walks over all links and finds what it really is.
//
// No deadline is lost. A walk collects in `found_`, and whoever lowers the deadline lowers `found_` first.
// The walk's end publishes what was found, and then looks at `found_` once more: a thread that lowered
// `found_` before that is seen there, and one that does so later lowers the deadline after it was published.
#pragma once
#include <atomic>
#include <cstdint>

namespace aqueduct::fabric::udp {

class Deadline {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t ns() const { return ns_.load(std::memory_order_relaxed); }
  /// Something is due then.
  void lower(std::uint64_t ns) {
    lower(found_, ns);
    lower(ns_, ns);
  }

  /// One thread at a time. Between the two calls it lowers the deadline to that of each link.
  void begin_walk() { found_.store(kNever); }
  void end_walk() {
    ns_.store(found_.load());
    lower(ns_, found_.load());
  }

 private:
  static void lower(std::atomic<std::uint64_t>& at, std::uint64_t ns) {
    std::uint64_t before = at.load(std::memory_order_relaxed);
    while (ns < before && !at.compare_exchange_weak(before, ns)) {
    }
  }

  std::atomic<std::uint64_t> ns_{kNever};
  std::atomic<std::uint64_t> found_{kNever};  // by the walk under way, or the last one
};

}  // namespace aqueduct::fabric::udp
