// The state of a rank as a report has it: copied from its record (observe/record.hpp) and from what the
// system says of its process, or made from a simulated rank.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "observe/counters.hpp"
#include "observe/frame.hpp"
#include "observe/record.hpp"

namespace aqueduct::observe {

/// Somebody owes an answer, in words: "2 replies".
struct Missing {
  RankId peer = 0;
  std::string what;
  bool operator==(const Missing&) const = default;
};

struct Wait {
  WaitKind kind = WaitKind::kNothing;
  TransferKind transfer = TransferKind::kNone;
  std::uint64_t waited_ns = 0;
  std::uint64_t number = 0;
  RankId peer = kNoRank;
  std::uint32_t team = kNoTeam;
  std::string call;
  std::vector<Missing> missing;
  bool more = false;
  bool operator==(const Wait&) const = default;
};

/// The wait of a record that nobody writes; nothing where it makes no sense.
std::optional<Wait> wait_of(const WaitRecord& record, std::uint64_t now_ns);

/// A text of somebody else's memory: up to the first zero, and what is not printable replaced.
std::string clean_text(const char* text, std::size_t room);

struct ThreadState {
  std::uint32_t tid = 0;
  Wait wait;
  bool has_answered = false;  ///< it has said where it is; what follows counts
  std::uint8_t in_handler = 0;
  bool has_prepared = false;
  std::uint8_t handler = 0;
  RankId source = 0;
  std::string handler_name;
  std::vector<Frame> stack;  ///< the innermost first
  bool operator==(const ThreadState&) const = default;
};

struct TeamState {
  std::uint32_t team = 0;
  std::uint32_t size = 0;
  std::uint64_t barriers = 0;
  std::uint64_t named_barriers = 0;
  std::uint64_t collectives = 0;
  bool operator==(const TeamState&) const = default;
};

enum class ProcessState : std::uint8_t {
  kNotStarted = 0,  ///< it has not started the library
  kRuns = 1,
  kSleeps = 2,   ///< in a call of the system
  kStopped = 3,  ///< by a signal
  kTraced = 4,   ///< stopped by a debugger
  kGone = 5,     ///< it has ended, or is another program now
  kCrashed = 6,  ///< with its simulated node
  kSilent = 7,   ///< its host has not answered
};
inline constexpr ProcessState kLastProcessState = ProcessState::kSilent;

struct PeerState {
  RankId peer = 0;
  PeerCounts counts{};
};

struct RankState {
  RankId rank = 0;
  std::string where;  ///< "host a, pid 4711", "node 3"
  ProcessState process = ProcessState::kNotStarted;
  std::string resting;  ///< what a simulated rank waits for that does not wait in the library
  bool polls = false;   ///< it has looked for messages while it was looked at
  std::string conduit;
  std::vector<ThreadState> threads;
  std::vector<CodeFile> files;  ///< that frames of threads are in
  std::vector<TeamState> teams;
  ThreadCounts done{};           ///< of all threads
  std::vector<PeerState> peers;  ///< those whose counters are known, ascending

  bool is_here() const { return process == ProcessState::kRuns || process == ProcessState::kSleeps; }
};

/// As bytes, to be carried between hosts; what comes from outside is checked.
std::string encode(const std::vector<RankState>& states);
std::optional<std::vector<RankState>> decode(std::string_view bytes);

}  // namespace aqueduct::observe
