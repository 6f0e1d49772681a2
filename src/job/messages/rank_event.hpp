// What happens to a rank, as the processes above it tell each other: the one that sees the rank, and the one
// that decides what follows (job/supervision/rank_source.hpp, job/messages/agent_messages.hpp).
#pragma once
#include <cstdint>
#include <string>

#include "base/types.hpp"

namespace aqueduct::job {

/// Of a rank's output.
enum class Channel : std::uint8_t { kOutput = 0, kErrors = 1 };
inline constexpr std::uint32_t kChannels = 2;

struct RankEvent {
  enum class Kind : std::uint8_t {
    kStarted = 1,     ///< it is a client of the library; others may wait for `number` ms once it has left
    kCalledExit = 2,  ///< gasnet_exit(number)
    kReturned = 3,    ///< from main, or it called exit()
    kReplaced = 4,    ///< it runs another program now
    kAborted = 5,     ///< with the line `text`; `number` is the rank that does not answer plus one, or 0
    kEnded = 6,       ///< with the wait status `number`; `text` is what else is known of that
    kWaits = 7,       ///< for others, since the last look
    kGoesOn = 8,      ///< it does not wait any more
    kHangs = 9,       ///< it has waited for too long, or somebody has asked it why the job does not go on
  };
  Kind kind = Kind::kStarted;
  RankId rank = 0;
  std::int32_t number = 0;
  std::string text = {};
};

}  // namespace aqueduct::job
