// Messages that have come and wait for their handlers, replies before requests. For conduits that copy
// messages out of the network's memory.
//
// An Arrived has a `parcel` and a `source`. The conduit's lock is held in every call; deliver() lets go of it
// while a handler runs, so several threads may deliver at once.
#pragma once
#include <deque>

#include "am/message.hpp"
#include "base/spin_lock.hpp"
#include "parts/parcels.hpp"
#include "parts/pool.hpp"

namespace aqueduct::parts {

template <class Arrived>
class ArrivedMessages {
 public:
  Arrived& take() { return pool_.take(); }
  /// Adds a message that is complete.
  void ready(Arrived& arrived) {
    (arrived.parcel.message.is_reply ? replies_ : requests_).push_back(&arrived);
  }

  /// Runs the handlers of at most `most` messages and answers of how many. `over(arrived)` is called after
  /// each, with the lock held: of a request that had no reply, `parcel.is_answered` is false.
  template <class Over>
  unsigned deliver(SpinLock& lock, am::Receiver& receiver, am::Scope scope, unsigned most, Over over) {
    unsigned delivered = deliver(replies_, lock, receiver, most, over);
    if (scope == am::Scope::kAll) delivered += deliver(requests_, lock, receiver, most - delivered, over);
    return delivered;
  }

  /// Records that were ever needed at once.
  std::size_t size() const { return pool_.size(); }
  /// Those that have not been handled, or not come whole.
  std::size_t lent() const { return pool_.lent(); }

 private:
  template <class Over>
  unsigned deliver(std::deque<Arrived*>& queue, SpinLock& lock, am::Receiver& receiver, unsigned most,
                   Over over) {
    unsigned delivered = 0;
    for (; delivered < most && !queue.empty(); ++delivered) {
      Arrived& arrived = *queue.front();
      queue.pop_front();
      lock.unlock();
      const am::Message& message = arrived.parcel.message;
      const bool is_reply = message.is_reply;
      arrived.parcel.is_answered = is_reply;
      receiver.deliver(message, {arrived.source, is_reply ? 0 : reinterpret_cast<std::uint64_t>(&arrived)});
      lock.lock();
      over(arrived);
      pool_.give_back(arrived);
    }
    return delivered;
  }

  Pool<Arrived> pool_;
  std::deque<Arrived*> requests_;
  std::deque<Arrived*> replies_;
};

}  // namespace aqueduct::parts
