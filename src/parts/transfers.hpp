// Puts and gets of any length over an interface that moves them in parts: as many as it takes now, and the
// rest when there is room.
//
// The client begins one part at a time (begin_part) and says when a part is over. A transfer is over when all
// of its parts are. A part waits only for local resources, which the next one needs, too: so transfers that
// cannot go on queue behind the first.
//
// Local completion: a source is counted in `unreleased` from the first part on while parts have not begun,
// and by the client for as long as it reads the memory of one that has.
//
// Not thread-safe: the owner has a lock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "am/message.hpp"
#include "base/spinning.hpp"

namespace aqueduct::parts {

/// A put or get of any length, in one part or in several.
template <class Memory>
struct Transfer {
  RankId target = 0;
  bool is_get = false;
  std::uintptr_t remote = 0;
  Memory memory{};  ///< of the target
  std::uintptr_t local = 0;
  std::size_t bytes = 0;   ///< not begun yet
  unsigned under_way = 0;  ///< parts that are not over
  am::Unreleased* unreleased = nullptr;
  bool is_waited_for = false;  ///< the call returns when the source is free
  void (*done)(void* operation) = nullptr;
  void* operation = nullptr;

  /// A part of it has begun.
  void part_begun(std::size_t part_bytes) {
    ++under_way;
    remote += part_bytes;
    local += part_bytes;
    bytes -= part_bytes;
  }
};

template <class Memory>
class Transfers {
 public:
  using One = Transfer<Memory>;

  class Client {
   public:
    /// Begins the next part and says so with part_begun(); false: something is lacking, and nothing has
    /// begun.
    virtual bool begin_part(One& transfer) = 0;

   protected:
    ~Client() = default;
  };

  explicit Transfers(Client& client) : client_(client) {}

  /// Begins a transfer. kRetry: nothing has begun. Otherwise proceed() carries it on.
  am::Post begin(const One& begun) {
    One& transfer = take();
    transfer = begun;
    if (!unfinished_.empty() || !client_.begin_part(transfer)) {
      give_back(transfer);
      return am::Post::kRetry;
    }
    // The caller's memory is in use for as long as parts have not begun.
    if (transfer.bytes != 0 && transfer.unreleased)
      transfer.unreleased->fetch_add(1, std::memory_order_relaxed);
    if (transfer.bytes != 0 && !advance(transfer)) unfinished_.push_back(&transfer);
    finish_if_over(transfer);
    return am::Post::kDone;
  }

  /// A put whose source is free at return, or counted in `unreleased`, or free when it is done. Takes the
  /// owner's lock; `progress` is called with it while the put waits.
  template <class Lock, class Progress>
  am::Post put(One transfer, bool at_return, am::Unreleased* counted, Lock& lock, Progress progress) {
    am::Unreleased here{0};
    const bool must_wait = at_return && !counted;
    if (at_return) transfer.unreleased = must_wait ? &here : counted;
    transfer.is_waited_for = must_wait;
    {
      const std::lock_guard guard(lock);
      if (begin(transfer) == am::Post::kRetry) return am::Post::kRetry;
    }
    for (Spinning spinning; must_wait && here.load(std::memory_order_acquire) != 0; spinning.pause()) {
      if (!lock.try_lock()) continue;
      progress();
      lock.unlock();
    }
    return am::Post::kDone;
  }

  void part_over(One& transfer) {
    --transfer.under_way;
    finish_if_over(transfer);
  }

  bool has_unfinished() const { return !unfinished_.empty(); }
  /// Goes on with transfers that wait for local resources, in their order.
  void proceed() {
    while (!unfinished_.empty()) {
      One& transfer = *unfinished_.front();
      if (!advance(transfer)) return;
      unfinished_.pop_front();
      finish_if_over(transfer);
    }
  }

  /// Lends a record to an operation that is no put or get but completes like one.
  One& take() {
    if (free_.empty()) return all_.emplace_back();
    One& transfer = *free_.back();
    free_.pop_back();
    return transfer;
  }
  void give_back(One& transfer) { free_.push_back(&transfer); }
  /// Those that are not over.
  std::size_t lent() const { return all_.size() - free_.size(); }

 private:
  // Begins parts until all have begun; false if something is lacking.
  bool advance(One& transfer) {
    while (transfer.bytes != 0) {
      if (!client_.begin_part(transfer)) return false;
    }
    if (transfer.unreleased) transfer.unreleased->fetch_sub(1, std::memory_order_release);
    return true;
  }

  void finish_if_over(One& transfer) {
    if (transfer.under_way != 0 || transfer.bytes != 0) return;
    void (*const done)(void*) = transfer.done;
    void* const operation = transfer.operation;
    give_back(transfer);
    done(operation);
  }

  Client& client_;
  std::deque<One> all_;
  std::vector<One*> free_;
  std::deque<One*> unfinished_;
};

}  // namespace aqueduct::parts
