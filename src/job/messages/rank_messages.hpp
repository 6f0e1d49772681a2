// What two processes that watch ranks of a job tell each other: wardens (job/warden/warden.hpp), a job and
// who asks about it (job/inspection/inquiry.hpp), and, among other messages, the launcher and the agents of
// its hosts (tools/aqueduct/hosts/agent_messages.hpp).
//
//   who decides                                   who sees the ranks
//       ─── Signal, Look, Died, Leave ▶
//                                   ◀── Happened  an event of a rank
//       ─── Inspect ───────────▶  ◀── Inspected   the states of its ranks
//       ─── Beat ──────────────▶  ◀── Beat        at intervals: we live (job/messages/heartbeat.hpp)
//                                 ◀── Finished    all ranks there have ended
//
// Numbers are of all kinds of messages; a new kind takes one that no other has.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "job/messages/link.hpp"
#include "job/messages/rank_event.hpp"

namespace aqueduct::job::agent {

struct Happened {
  static constexpr std::uint8_t kNumber = 9;
  static void visit(auto& fields, auto& m) { fields(m.kind, m.rank, m.number, m.text); }
  std::uint8_t kind = 0;  ///< RankEvent::Kind
  std::uint32_t rank = 0;
  std::int32_t number = 0;
  std::string text;
  bool operator==(const Happened&) const = default;
};

struct Signal {
  static constexpr std::uint8_t kNumber = 13;
  static void visit(auto& fields, auto& m) { fields(m.number); }
  std::int32_t number = 0;
  bool operator==(const Signal&) const = default;
};

/// Look who waits.
struct Look {
  static constexpr std::uint8_t kNumber = 15;
  static void visit(auto&, auto&) {}
  bool operator==(const Look&) const = default;
};

struct Beat {
  static constexpr std::uint8_t kNumber = 16;
  static void visit(auto& fields, auto& m) { fields(m.patience_ms); }
  std::uint32_t patience_ms = 0;  ///< of the launcher: how long either side may be silent; 0: for ever
  bool operator==(const Beat&) const = default;
};

struct Finished {
  static constexpr std::uint8_t kNumber = 19;
  static void visit(auto&, auto&) {}
  bool operator==(const Finished&) const = default;
};

/// `rank`, of any host, has died and the others go on (job/place/failures.hpp).
struct Died {
  static constexpr std::uint8_t kNumber = 23;
  static void visit(auto& fields, auto& m) { fields(m.rank); }
  std::uint32_t rank = 0;
  bool operator==(const Died&) const = default;
};

/// Makes a warden's ranks leave with this code (job/warden/order.hpp).
struct Leave {
  static constexpr std::uint8_t kNumber = 24;
  static void visit(auto& fields, auto& m) { fields(m.code); }
  std::int32_t code = 0;
  bool operator==(const Leave&) const = default;
};

/// Look at the ranks there (job/inspection/inspection.hpp).
struct Inspect {
  static constexpr std::uint8_t kNumber = 25;
  static void visit(auto& fields, auto& m) { fields(m.with_stacks, m.with_counters); }
  bool with_stacks = false;
  bool with_counters = false;
  bool operator==(const Inspect&) const = default;
};
/// The answer to Inspect.
struct Inspected {
  static constexpr std::uint8_t kNumber = 26;
  static void visit(auto& fields, auto& m) { fields(m.states); }
  std::string states;  ///< observe::encode()
  bool operator==(const Inspected&) const = default;
};

using RankMessage = std::variant<Happened, Signal, Look, Beat, Finished, Died, Leave, Inspect, Inspected>;

/// An event of a rank as a message, and back; nothing if the kind of event is unknown.
inline Happened happened(const RankEvent& event) {
  return {static_cast<std::uint8_t>(event.kind), event.rank, event.number, event.text};
}
inline std::optional<RankEvent> event_in(const Happened& happened) {
  const bool is_known = happened.kind >= static_cast<std::uint8_t>(RankEvent::Kind::kStarted) &&
                        happened.kind <= static_cast<std::uint8_t>(RankEvent::Kind::kHangs);
  if (!is_known) return std::nullopt;
  return RankEvent{static_cast<RankEvent::Kind>(happened.kind), happened.rank, happened.number,
                   happened.text};
}

}  // namespace aqueduct::job::agent

namespace aqueduct::job {
using RankLink = MessageLink<agent::RankMessage>;
}
