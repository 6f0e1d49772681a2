// A recorded job as a program that can be run again: what each rank does, in its order, with whom and how
// much, and what each of its waits depends on. Recorded times are kept beside it, to compare with.
//
// It is made from a timeline (recording.hpp) or from traces of MPI calls (dumpi.hpp), run by the ranks of a
// simulation (replayer.hpp), and what that took is told in report.hpp.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace aqueduct::replay {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// What time is spent on, for reports.
enum class Kind : std::uint8_t {
  kCompute,
  kPut,
  kGet,
  kAtomic,
  kImplicit,  ///< waits for implicit operations
  kMessage,
  kArrival,  ///< waits for messages
  kBarrier,
  kCollective,
  kPolling,
};
inline constexpr std::size_t kKinds = 10;
const char* name_of(Kind kind);

enum class Completion : std::uint8_t { kBlocking, kEvent, kImplicit };

/// When the source of a put or message may change again; as trace::timeline::Local.
enum class Source : std::uint8_t { kAtReturn, kWhenDone, kCounted };

/// As extended::collectives::Kind has them.
enum class Collective : std::uint8_t {
  kBroadcast,
  kReduceToOne,
  kReduceToAll,
  kScatter,
  kGather,
  kGatherAll,
  kExchange,
};
inline constexpr unsigned kCollectives = 7;

/// From when to when, in nanoseconds from the beginning of the job.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct Step {
  enum class What : std::uint8_t {
    kCompute,       ///< for `ns`, outside of the library
    kPoll,          ///< looks once for messages
    kPollFor,       ///< polls for `ns`; nothing comes of it
    kPut,           ///< of `bytes` to `peer`
    kGet,           ///< likewise
    kAtomic,        ///< with the bits of the public interface: `number` is the operation, `type` its type
    kSend,          ///< the message `number`
    kBarrier,       ///< of `team`
    kNotify,        ///< gasnet_barrier_notify()
    kNotified,      ///< its wait
    kCollective,    ///< `number` is a Collective, `peer` the root's rank in the job
    kWait,          ///< for the events awaited[first, first + count) of its rank
    kReleased,      ///< until the source of the put of that one event is free
    kWaitImplicit,  ///< for implicit operations of the categories `number`
    kWaitMessages,  ///< as arrivals[number] of its rank says
    kBeginRegion,   ///< gex_NBI_BeginAccessRegion()
    kEndRegion,     ///< its end, with an event
    kSplit,         ///< `team` splits; this rank is then in team `number`, unless that is kNone
  };
  What what = What::kCompute;
  Kind kind = Kind::kCompute;
  Completion completion = Completion::kBlocking;
  Source source = Source::kAtReturn;
  bool looks = false;  ///< waits by a loop of calls that look
  bool enter_together = false;
  bool leave_together = false;
  std::uint8_t type = 0;
  std::uint32_t peer = kNone;
  std::uint32_t event = kNone;    ///< that it starts
  std::uint32_t team = 0;         ///< of Program::teams
  std::uint32_t meeting = kNone;  ///< of a barrier or collective: Program::meetings
  std::uint32_t number = 0;
  std::uint32_t first = 0, count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t ns = 0;
  Span recorded;
};

/// What a wait for messages depends on: these, and as many as that of each handler since the beginning.
struct Arrivals {
  std::vector<std::uint32_t> messages;
  std::vector<std::pair<std::uint8_t, std::uint32_t>> counts;
};

struct RankProgram {
  std::vector<Step> steps;
  std::vector<std::uint32_t> awaited;      ///< events
  std::vector<Arrivals> arrivals;          ///< of waits for messages
  std::vector<std::uint32_t> event_steps;  ///< which step starts an event
};

/// A message, and what its handler does.
struct MessagePlan {
  enum class Category : std::uint8_t { kShort, kMedium, kLong, kAny };  ///< kAny: as its size is
  Category category = Category::kShort;
  bool is_reply = false;
  Source source = Source::kAtReturn;
  std::uint8_t handler = 0;
  std::uint8_t arguments = 0;
  std::uint32_t from = kNone;
  std::uint32_t to = kNone;
  std::uint64_t bytes = 0;
  std::vector<Step> body;  ///< computes and replies
  std::int64_t sent = 0;   ///< recorded
  std::int64_t handled = 0;
};

/// A barrier or collective: who comes to it, and by which of its steps.
struct Meeting {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;
};

struct Program {
  std::vector<RankProgram> ranks;
  std::vector<MessagePlan> messages;
  std::vector<Meeting> meetings;
  std::vector<std::vector<std::uint32_t>> teams;  ///< their members; the first one is all ranks
  bool has_atomics = false;
  std::uint64_t largest_transfer = 0;  ///< bytes of a put, get or long message
  std::uint64_t largest_data = 0;      ///< of all that a rank has in one operation
  std::int64_t duration = 0;
  std::vector<std::string> notes;  ///< lines: what is replayed as something else
};

/// When everything happened in one run.
struct Run {
  std::vector<std::vector<Span>> steps;  ///< by rank
  std::vector<std::int64_t> sent;        ///< by message
  std::vector<std::int64_t> handled;
  std::int64_t duration = 0;
};
/// The run that was recorded.
Run recorded_run(const Program& program);

/// The most that a file may ask for; more is refused as malformed.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t kMostRanks = 1u << 20;

}  // namespace aqueduct::replay
