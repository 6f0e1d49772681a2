// What happens to a rank: the process that sees the rank reports such events to the one that decides what
// follows (job/supervision/rank_source.hpp, job/messages/rank_messages.hpp).
#pragma once
#include <cstdint>
#include <string>

#include "base/types.hpp"

namespace aqueduct::job {

/// The streams of a rank's output.
enum class Channel : std::uint8_t { kOutput = 0, kErrors = 1 };
inline constexpr std::uint32_t kChannels = 2;

struct RankEvent {
  enum class Kind : std::uint8_t {
    kStarted = 1,     ///< a client uses it; after it has left, others may wait for `number` ms
    kCalledExit = 2,  ///< gasnet_exit(number)
    kReturned = 3,    ///< it returned from main or called exit()
    kReplaced = 4,    ///< its process runs another program now
    kAborted = 5,     ///< the error line is `text`; `number` is the rank that does not answer plus one, or 0
    kEnded = 6,       ///< its wait status is `number`; `text` is a remark about its end
    kWaits = 7,       ///< it has waited for others since the last look
    kGoesOn = 8,      ///< it does not wait any more
    kHangs = 9,       ///< it asks for a report: it has waited for too long, or got SIGUSR1
  };
  Kind kind = Kind::kStarted;
  RankId rank = 0;
  std::int32_t number = 0;
  std::string text = {};
};

}  // namespace aqueduct::job
