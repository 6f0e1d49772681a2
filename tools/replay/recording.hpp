// From a timeline (src/trace/merge.hpp) to a program.
//
// What a wait depends on:
//   an operation       its completion, which the timeline shows inside the call that saw it
//   a barrier          all members' arrival; collectives likewise
//   messages           GASNET_BLOCKUNTIL, and loops of gasnet_AMPoll: see arrivals.hpp
//   nothing known      a loop that polled and found nothing, or a wait that no message has ended: takes as
//                      long as it took
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/replay/program.hpp"

namespace aqueduct::replay {

/// An event of a timeline. Times are nanoseconds.
struct RecordedEvent {
  enum class Phase : std::uint8_t { kSlice, kStarted, kCompleted, kReleased, kTeam };
  Phase phase = Phase::kSlice;
  std::string category;
  std::string name;
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;
  std::int64_t begin = 0;
  std::int64_t duration = 0;
  std::uint32_t depth = 0;
  std::string span;            ///< which operation
  std::uint32_t peer = kNone;  ///< of kTeam: the rank in the team
  std::uint64_t bytes = 0;     ///< of kTeam: its size
  std::uint64_t team = 0;
  std::uint64_t number = 0;   ///< of a barrier
  std::uint64_t message = 0;  ///< from 1 on
  std::uint32_t handler = 0;
  std::uint32_t arguments = 0;
  std::uint32_t local = 0;
  std::uint32_t collective = 0;
  std::uint32_t opcode = 0;
  std::uint32_t type = 0;
  std::uint32_t looked = 0;
  std::uint32_t implicit = 0;
  std::uint32_t went_on_after = 0;  ///< so many handlers, of a wait
  bool is_true_at_once = false;     ///< of a wait: its condition
  bool is_implicit = false;
  bool is_refused = false;
  bool is_unfinished = false;
};

struct Recording {
  int form = 0;  ///< 0: there is none
  std::uint32_t ranks = 0;
  std::optional<int> exit_code;
  std::uint32_t lost_ranks = 0;       ///< whose earlier events were overwritten
  std::vector<bool> is_there;         ///< by rank
  std::vector<RecordedEvent> events;  ///< those of a rank in their order
};

/// Reads a timeline's text. Nothing, with one line in `*why`, if it is malformed.
std::optional<Recording> read_recording(std::string_view text, std::string* why);

/// Nothing, with one line in `*why` that says what to do, if it cannot be replayed.
std::optional<Program> program_of(const Recording& recording, std::string* why);

}  // namespace aqueduct::replay
