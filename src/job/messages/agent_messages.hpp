// What a launcher and the agents of its hosts say to each other (job/hosts/agent.hpp), as bytes: the codec
// alone.
//
//   launcher                                    agent, one for each host
//       ◀── Hello ───────────────────────────────  who I am, what I have
//       ─── Meet ──▶ first host   ◀── Meeting ───  a rendezvous listens there
//       ─── Reach ─▶ others       ◀── Reached ───  for each address of it: reached, or why not
//       ─── Start ─────────────▶  ◀── Started ───  or Failed
//       ◀── Happened, Written, Taken ────────────  ranks announce, end and write; input was read
//       ─── Input, Signal, Hold, Look, Pause, Died ▶
//       ─── Inspect ───────────▶  ◀── Inspected ─  the states of its ranks; also between a job and who asks about it
//       ─── Beat ──────────────▶  ◀── Beat ──────  at intervals: we live (job/messages/heartbeat.hpp)
//       ─── Finish ────────────▶  ◀── Finished ──  all ranks of the job have ended; nothing is left here
//
// `aqueduct info` says Ask after Hello, is answered Facts, and closes the connection.
//
// A message is a frame: its length and its kind, then its fields. Numbers are in little-endian order, texts
// and lists begin with their length. The agent's first words are kPreamble, so that what login scripts print
// before can be skipped, and Hello, whose first two fields stay as they are in all versions.
//
// Some messages hold the job's key. So whatever holds frames is wiped once they have gone or been read.
//
// What comes from outside is checked: a frame that is too long, of no known kind, or whose fields do not fill
// it exactly is no message.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "job/messages/rank_event.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job::agent {

/// Of the messages; both sides must have the same.
inline constexpr std::uint32_t kProtocol = 2;

/// What an agent says before its first frame.
inline constexpr std::string_view kPreamble = "\nAQUEDUCT-AGENT\n";

/// The longest frame. An environment and a command line of the system's largest size fit.
inline constexpr std::size_t kLongestFrame = std::size_t{16} << 20;

struct Hello {
  std::uint32_t protocol = kProtocol;
  std::string version;                  ///< of the library
  std::string machine;                  ///< the same where two agents share a kernel and its network
  std::vector<std::string> interfaces;  ///< "eth0 192.0.2.1": all addresses but those of the loopback
  std::string reached_at;               ///< the address at which the launcher has reached it; may be empty
  std::string seen_from;                ///< the launcher's address as seen there; may be empty
  bool operator==(const Hello&) const = default;
};

/// Open a rendezvous for so many hosts, on the loopback interface alone or on all.
struct Meet {
  net::JobKey key;
  std::uint32_t participants = 0;
  bool on_loopback = false;
  bool operator==(const Meet&) const = default;
};
struct Meeting {
  std::uint16_t port = 0;
  bool operator==(const Meeting&) const = default;
};

/// Try to reach the rendezvous at each of these.
struct Reach {
  net::JobKey key;
  std::uint32_t participants = 0;
  std::vector<std::string> addresses;  ///< with ports
  bool operator==(const Reach&) const = default;
};
struct Reached {
  std::uint32_t index = 0;  ///< of the address
  std::string why_not;      ///< empty: it answers
  bool operator==(const Reached&) const = default;
};

/// Start these ranks.
struct Start {
  std::uint32_t size = 0;            ///< ranks in all
  std::vector<std::uint32_t> ranks;  ///< of this host
  std::string machines;              ///< Layout::text() of all hosts
  std::vector<std::string> command;
  std::string directory;
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::string conduit;
  std::string bind;
  bool tag = false;
  net::JobKey key;
  std::string rendezvous;
  std::string launcher;  ///< for people on this host: where the whole job can be asked for
  bool operator==(const Start&) const = default;
};
struct Started {
  bool operator==(const Started&) const = default;
};
/// What was asked for is not possible; the agent ends.
struct Failed {
  std::string why;
  std::int32_t code = 1;
  bool operator==(const Failed&) const = default;
};

struct Happened {
  std::uint8_t kind = 0;  ///< RankEvent::Kind
  std::uint32_t rank = 0;
  std::int32_t number = 0;
  std::string text;
  bool operator==(const Happened&) const = default;
};
struct Written {
  std::uint32_t rank = 0;
  std::uint8_t channel = 0;
  std::string text;
  bool operator==(const Written&) const = default;
};
/// For the standard input of rank 0; empty: its end.
struct Input {
  std::string text;
  bool operator==(const Input&) const = default;
};
/// Rank 0 has taken so many bytes of it.
struct Taken {
  std::uint64_t bytes = 0;
  bool operator==(const Taken&) const = default;
};
struct Signal {
  std::int32_t number = 0;
  bool operator==(const Signal&) const = default;
};
struct Hold {
  std::uint8_t channel = 0;
  bool is_held = false;
  bool operator==(const Hold&) const = default;
};
struct Look {
  bool operator==(const Look&) const = default;
};
struct Beat {
  std::uint32_t patience_ms = 0;  ///< of the launcher: so long may either side be silent; 0: for ever
  bool operator==(const Beat&) const = default;
};
/// Somebody has sent this signal to the agent.
struct Signalled {
  std::int32_t number = 0;
  bool operator==(const Signalled&) const = default;
};
struct Finish {
  bool operator==(const Finish&) const = default;
};
struct Finished {
  bool operator==(const Finished&) const = default;
};
struct Ask {
  std::string machines;     ///< of the job that all this is for: Layout::text()
  std::uint32_t ranks = 0;  ///< and its ranks
  bool operator==(const Ask&) const = default;
};
struct Facts {
  std::string json;  ///< as `aqueduct info --json` has it
  bool operator==(const Facts&) const = default;
};

/// The launcher is stopped, and will be silent, or goes on.
struct Pause {
  bool is_paused = false;
  bool operator==(const Pause&) const = default;
};
/// This rank, of any host, has died and the others go on (job/place/failures.hpp).
struct Died {
  std::uint32_t rank = 0;
  bool operator==(const Died&) const = default;
};

/// Ranks are to leave with this code: a warden's ranks, which the launcher sees itself
/// (job/warden/order.hpp).
struct Leave {
  std::int32_t code = 0;
  bool operator==(const Leave&) const = default;
};

/// Look at the ranks there (job/inspection/inspection.hpp).
struct Inspect {
  bool with_stacks = false;
  bool with_counters = false;
  bool operator==(const Inspect&) const = default;
};
/// What was seen.
struct Inspected {
  std::string states;  ///< observe::encode()
  bool operator==(const Inspected&) const = default;
};

/// The place in this list is the kind's number in a frame, from 1 on: only ever add at its end.
using Message = std::variant<Hello, Meet, Meeting, Reach, Reached, Start, Started, Failed, Happened, Written,
                             Input, Taken, Signal, Hold, Look, Beat, Signalled, Finish, Finished, Ask, Facts,
                             Pause, Died, Leave, Inspect, Inspected>;

/// An event of a rank as a message, and back; nothing if that kind of event is not known.
Happened happened(const RankEvent& event);
std::optional<RankEvent> event_in(const Happened& happened);

/// The frame of a message.
WipedText encode(const Message& message);

/// Takes bytes as they come and gives messages.
class Decoder {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next one that is complete; nothing if there is none, or what came is no message.
  std::optional<Message> next();
  /// What came is no message. Nothing that follows will be.
  bool is_broken() const { return is_broken_; }

 private:
  WipedText buffer_;
  std::size_t begin_ = 0;
  bool is_broken_ = false;
};

/// What may still be understood of the Hello of another protocol: its first two fields.
struct Version {
  std::uint32_t protocol = 0;
  std::string version;
};
std::optional<Version> version_in(std::string_view bytes);

}  // namespace aqueduct::job::agent
