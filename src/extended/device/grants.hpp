// Who has asked this rank for slots, for a put to one of its devices, and the messages that grant them.
//
// Whoever asks says for how many chunks. Slots are granted in turn, a few at a time, as they become free; a
// grant of none says that there will be none, and that the chunks are to come in Medium messages.
//
// Threads: any asks, in a handler; send() by whoever runs the deferred tasks.
#pragma once
#include <deque>

#include "core/rank.hpp"
#include "extended/device/slots.hpp"

namespace aqueduct::extended::device_memory {

class Grants {
 public:
  /// Slots that one message grants.
  static constexpr unsigned kAtOnce = 4;

  void ask(RankId peer, std::uint64_t flow, std::uint32_t chunks);
  struct Sent {
    bool moved = false;     ///< something was granted
    unsigned finished = 0;  ///< so many have got what they asked for
  };
  /// Grants what can be granted now.
  Sent send(core::Thread& thread, Slots& slots, const std::byte* slots_base);
  bool is_empty() const;

 private:
  struct Ask {
    RankId peer = 0;
    std::uint64_t flow = 0;
    std::uint32_t chunks = 0;  // not granted yet
  };
  enum class Granted : std::uint8_t { kNothing, kSome, kAll };
  Granted grant(core::Thread& thread, Slots& slots, const std::byte* slots_base, Ask& ask);

  mutable SpinLock lock_;
  std::deque<Ask> added_;
  std::deque<Ask> asks_;  // of whoever runs the tasks
};

}  // namespace aqueduct::extended::device_memory
