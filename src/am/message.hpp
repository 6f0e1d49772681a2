// The words that the core and the conduits share: an active message, where it came from, who takes it, and
// what may be asked of a network. Plain data; who owns what is said by the contracts that use it
// (conduit/conduit.hpp).
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "observe/record.hpp"
#include "observe/retries.hpp"

namespace aqueduct::am {

inline constexpr unsigned kMaxArgs = 16;
/// What the core may put before the payload of a medium message (core/encapsulation.hpp); clients get the
/// rest.
inline constexpr std::size_t kEncapsulationBytes = 128;
/// The largest medium payload of any job: neighbours have room for no more, whatever the network carries.
inline constexpr std::size_t kMostMedium = (std::size_t{64} << 10) + kEncapsulationBytes;
/// Every conduit carries medium payloads of at least this size.
inline constexpr std::size_t kLeastMaxMedium = 512 + kEncapsulationBytes;

enum class Category : std::uint8_t { kShort, kMedium, kLong };

/// Counts payloads whose memory the library still reads: one who lends memory passes it on, whoever still
/// reads adds one before it returns, and subtracts it, on any thread, when the memory is free.
using Unreleased = std::atomic<std::uint32_t>;

/// An active message. For a long one the conduit puts the payload at `destination` (in the target's address
/// space) before it delivers; on arrival `payload` then equals `destination`.
struct Message {
  Category category = Category::kShort;
  bool is_reply = false;
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  const std::int32_t* args = nullptr;
  const void* payload = nullptr;
  std::size_t payload_bytes = 0;
  void* destination = nullptr;
  /// Where a payload may be counted. The core sets it of every Long that it gives to a conduit; null: the
  /// payload is free at return.
  Unreleased* unreleased = nullptr;
  /// A Long whose payload is counted there, and whose sender has time: better read where it lies than copied.
  bool is_lent = false;
  /// A Short request that is not answered and whose sender bounds by itself how many are under way: it may go
  /// without a credit of the target's.
  bool is_bounded = false;
};

/// Where a request came from; the conduit gets it back with the reply. `cookie` is the conduit's own.
struct Origin {
  RankId source = 0;
  std::uint64_t cookie = 0;
};

enum class Post { kDone, kRetry };
enum class Scope { kAll, kReplies };

/// What a conduit calls when a message has arrived; implemented by the core.
class Receiver {
 public:
  virtual void deliver(const Message& message, const Origin& origin) = 0;
  /// Whether puts and gets may name any memory of a rank. A conduit that cannot reach it is never asked to.
  virtual bool wants_segment_everything() const { return false; }
  /// Whether this rank goes on when another one has died, so that what cannot reach that one is dropped.
  virtual bool outlives_others() const { return false; }

  // For the counters (observe/counters.hpp). Any thread, with any lock of the conduit held.
  /// A conduit calls it before it answers kRetry, with what it lacks. If it does not, the core takes it that
  /// the network is full.
  virtual void lacks(observe::Retry what) { (void)what; }
  /// Something was sent again to `peer`, or came from it twice.
  virtual void count_retry(RankId peer, observe::Retry why) { (void)peer, (void)why; }
  /// Software of this rank has done what `peer` asked for.
  virtual void count_served(RankId peer, observe::TransferKind what) { (void)peer, (void)what; }

 protected:
  ~Receiver() = default;
};

/// The answer of a post that lacks something.
inline Post retry(Receiver& receiver, observe::Retry lacking) {
  receiver.lacks(lacking);
  return Post::kRetry;
}

struct Limits {
  std::size_t max_medium = kLeastMaxMedium;  ///< whatever the number of arguments
  std::size_t max_long = 0;
};

/// The limits that clients see, which are smaller than the conduit's. `segment_everything`: all memory of a
/// rank can be reached.
inline Limits limits_for_clients(Limits limits, bool segment_everything) {
  limits.max_medium = std::min(limits.max_medium, kMostMedium) - kEncapsulationBytes;
  // A message to memory outside the segment travels inside a medium one (core/encapsulation.hpp), and a reply
  // must fit one message.
  if (segment_everything) limits.max_long = std::min(limits.max_long, limits.max_medium);
  return limits;
}

/// A rank's segment in that rank's own address space.
struct SegmentBounds {
  std::uintptr_t base = 0;
  std::uintptr_t size = 0;

  bool contains(std::uintptr_t address, std::size_t bytes) const {
    const std::uintptr_t offset = address - base;
    return offset < size && bytes <= size - offset;
  }
};

}  // namespace aqueduct::am
