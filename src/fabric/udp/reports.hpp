// What a port has to tell its client, and the arrivals that the client has been told of and has not answered.
//
// Threads. A thread that looks at the network (UdpPort::look) has the port's turn; there is one at a time. It
// alone makes arrivals and takes reports; others post reports, and give answered arrivals back.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "fabric/fabric.hpp"
#include "fabric/udp/buffer_pool.hpp"
#include "fabric/udp/packet.hpp"

namespace aqueduct::fabric::udp {

/// A message whose header is here. Its source's lock guards it, but for `next_free`.
struct WaitingArrival {
  bool is_answered = false;
  bool is_borrowed = false;  ///< the payload lies in the receive buffer
  RecordKind kind = RecordKind::kInline;
  std::uint32_t transfer = 0;
  NodeId source = 0;
  std::uint64_t payload_bytes = 0;
  std::span<const std::byte> header;
  const std::byte* payload = nullptr;
  std::size_t record_bytes = 0;
  BufferPool::Buffer buffer;  ///< of a payload that has no place of its own
  std::vector<std::byte> own;
  std::array<std::byte, kMaxHeader> own_header;  ///< of a message that named its place
  WaitingArrival* next_free = nullptr;
};

/// Arrivals keep their addresses. Any thread gives them back, in a list that only grows until the thread that
/// has the turn takes all of it: so no thread finds one there that has been away meanwhile.
class WaitingArrivals {
 public:
  /// By whoever has the turn.
  WaitingArrival& take() {
    if (!free_) free_ = given_back_.exchange(nullptr, std::memory_order_acquire);
    if (!free_) return all_.emplace_back();
    return *std::exchange(free_, free_->next_free);
  }
  void give_back_in_turn(WaitingArrival& arrival) { arrival.next_free = std::exchange(free_, &arrival); }
  /// By others.
  void give_back(WaitingArrival& arrival) {
    arrival.next_free = given_back_.load(std::memory_order_relaxed);
    while (!given_back_.compare_exchange_weak(arrival.next_free, &arrival, std::memory_order_release,
                                              std::memory_order_relaxed)) {
    }
  }

 private:
  std::deque<WaitingArrival> all_;
  WaitingArrival* free_ = nullptr;
  std::atomic<WaitingArrival*> given_back_{nullptr};
};

struct Report {
  enum class Kind : std::uint8_t { kArrived, kLanded, kSent, kUndeliverable, kLost } kind = Kind::kArrived;
  Outcome outcome = Outcome::kOk;
  NodeId node = 0;
  std::uint64_t cookie = 0;
  WaitingArrival* arrival = nullptr;
  std::vector<std::byte> header;
};

class Reports {
 public:
  /// By whoever has the turn.
  void add(Report report) { reports_.push_back(std::move(report)); }
  bool are_there() const { return !reports_.empty() || posted_count() != 0; }
  /// All there are, in exchange for an empty list.
  void take(std::vector<Report>& to) {
    to.swap(reports_);
    if (posted_count() == 0) return;
    const std::lock_guard guard(lock_);
    to.insert(to.end(), std::make_move_iterator(posted_.begin()), std::make_move_iterator(posted_.end()));
    posted_.clear();
    posted_count_.store(0, std::memory_order_relaxed);
  }

  /// By others.
  void post(Report report) {
    const std::lock_guard guard(lock_);
    posted_.push_back(std::move(report));
    posted_count_.store(posted_.size(), std::memory_order_relaxed);
  }
  /// A hint for any thread but the one that has the turn.
  std::size_t posted_count() const { return posted_count_.load(std::memory_order_relaxed); }
  std::size_t count_in_turn() const { return reports_.size() + posted_count(); }

 private:
  std::vector<Report> reports_;
  alignas(kCacheLine) std::atomic<std::size_t> posted_count_{0};  // all that send look at it
  SpinLock lock_;                                                 // of posted_
  std::vector<Report> posted_;
};

}  // namespace aqueduct::fabric::udp
