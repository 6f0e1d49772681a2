// The lanes of a port (datagram_socket.hpp), each with the batch in which datagrams are put together. So
// several threads send at the same time; each begins at a lane of its own, and one thread alone always has
// the same, whose memory is warm.
//
// A thread that holds a lane waits for no lock but those that are held for a handful of instructions. So
// whoever waits for a lane gets one.
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "base/spin_lock.hpp"
#include "base/thread_number.hpp"
#include "base/types.hpp"
#include "fabric/udp/send_batch.hpp"

namespace aqueduct::fabric::udp {

class SendLanes {
 public:
  struct alignas(kCacheLine) Lane {
    SpinLock lock;
    unsigned number = 0;
    std::unique_ptr<SendBatch> batch;  ///< empty whenever nobody has the lane
  };

  /// `seal` may be null, and outlives the lanes.
  explicit SendLanes(const Seal* seal) : seal_(seal) {
    for (unsigned i = 0; i < lanes_.size(); ++i) lanes_[i].number = i;
  }

  /// The lane is the caller's until give_back(). Waits if all are taken.
  Lane& take() {
    const unsigned first = usual();
    for (unsigned i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[(first + i) % lanes_.size()];
      if (lane.lock.try_lock()) return ready(lane);
    }
    lanes_[first].lock.lock();
    return ready(lanes_[first]);
  }
  void give_back(Lane& lane) { lane.lock.unlock(); }

 private:
  /// The lane at which the calling thread begins.
  unsigned usual() const { return thread_number() % static_cast<unsigned>(lanes_.size()); }
  Lane& ready(Lane& lane) {
    if (!lane.batch) lane.batch = std::make_unique<SendBatch>(seal_);
    return lane;
  }

  const Seal* seal_;
  std::array<Lane, DatagramSocket::kLanes> lanes_;
};

}  // namespace aqueduct::fabric::udp
