// A summary of a timeline (trace/merge.hpp): where time went, which ranks came late to barriers, and the
// critical path.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aqueduct::trace_report {

/// A call or handler of a rank. Times are in nanoseconds.
struct TimelineSlice {
  std::string category;  ///< operation, wait, barrier, send, handler
  std::string name;
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;
  std::int64_t begin = 0;
  std::int64_t duration = 0;
  std::optional<std::uint32_t> peer;
  std::uint64_t bytes = 0;
  std::uint64_t team = 0;      ///< of a barrier
  std::uint64_t number = 0;    ///< of a barrier
  bool is_unfinished = false;  ///< the rank was killed in it
  std::int64_t end() const { return begin + duration; }
};

/// A message: where and when it was sent and its handler began.
struct TimelineFlow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t sent = 0;
  std::int64_t arrived = 0;
};

struct Timeline {
  std::vector<TimelineSlice> slices;
  std::vector<TimelineFlow> flows;
  std::uint32_t ranks = 0;
  std::uint64_t lost = 0;  ///< the number of ranks whose earlier events were overwritten
};

/// Reads a file that `aqueduct run --trace` has written. Nothing, with one line in `*why`, if it is
/// malformed.
std::optional<Timeline> read_timeline(const std::string& file, std::string* why);

/// A piece of the critical path, from the end of the job backwards: work of a rank, or a message under way.
struct PathPiece {
  enum class Kind { kCompute, kMessage, kWait };
  Kind kind = Kind::kCompute;
  std::uint32_t rank = 0;  ///< of a message, the sender
  std::uint32_t to = 0;    ///< of a message
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The critical path: only shortening its pieces would end the job sooner.
std::vector<PathPiece> critical_path(const Timeline& timeline);

std::string summarize(const Timeline& timeline);

}  // namespace aqueduct::trace_report
