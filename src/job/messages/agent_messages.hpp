// The messages between a launcher and the agents of its hosts (tools/aqueduct/hosts/agent.hpp), and their
// codec.
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
// `aqueduct info` sends Ask after Hello, gets Facts, and closes the connection.
//
// A message is a frame: its length and its kind, then its fields. Numbers are in little-endian order, texts
// and lists begin with their length. An agent begins with kPreamble, so that the launcher can skip the output
// of login scripts, and Hello, whose first two fields are the same in all versions.
//
// Some messages hold the job's key, so buffers of frames are wiped after use.
//
// Input is checked: a frame that is too long, of no known kind, or not filled exactly by its fields is not a
// message.
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

/// The version of the messages; both sides must have the same.
inline constexpr std::uint32_t kProtocol = 2;

/// An agent sends this before its first frame.
inline constexpr std::string_view kPreamble = "\nAQUEDUCT-AGENT\n";

/// The longest frame; an environment and a command line of the system's largest size fit.
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
  std::string launcher;  ///< for people on this host: where to ask about the whole job
  bool operator==(const Start&) const = default;
};
struct Started {
  bool operator==(const Started&) const = default;
};
/// The agent cannot do what was asked, and ends.
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
/// Bytes for the standard input of rank 0; empty: its end.
struct Input {
  std::string text;
  bool operator==(const Input&) const = default;
};
/// Rank 0 has taken so many bytes of its input.
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
  std::uint32_t patience_ms = 0;  ///< of the launcher: how long either side may be silent; 0: for ever
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
  std::string machines;     ///< of the planned job: Layout::text()
  std::uint32_t ranks = 0;  ///< of the planned job
  bool operator==(const Ask&) const = default;
};
struct Facts {
  std::string json;  ///< as `aqueduct info --json` has it
  bool operator==(const Facts&) const = default;
};

/// The launcher will be stopped, and silent, or goes on.
struct Pause {
  bool is_paused = false;
  bool operator==(const Pause&) const = default;
};
/// `rank`, of any host, has died and the others go on (job/place/failures.hpp).
struct Died {
  std::uint32_t rank = 0;
  bool operator==(const Died&) const = default;
};

/// Makes a warden's ranks leave with this code (job/warden/order.hpp).
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
/// The answer to Inspect.
struct Inspected {
  std::string states;  ///< observe::encode()
  bool operator==(const Inspected&) const = default;
};

/// A message's place in this list, from 1 on, is its number in a frame: add only at the end.
using Message = std::variant<Hello, Meet, Meeting, Reach, Reached, Start, Started, Failed, Happened, Written,
                             Input, Taken, Signal, Hold, Look, Beat, Signalled, Finish, Finished, Ask, Facts,
                             Pause, Died, Leave, Inspect, Inspected>;

/// An event of a rank as a message, and back; nothing if the kind of event is unknown.
Happened happened(const RankEvent& event);
std::optional<RankEvent> event_in(const Happened& happened);

/// The frame of a message.
WipedText encode(const Message& message);

/// Takes bytes in pieces of any size and returns messages.
class Decoder {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next complete message; nothing if there is none, or if the bytes are not a message.
  std::optional<Message> next();
  /// The bytes are not a message, and later ones will not be either.
  bool is_broken() const { return is_broken_; }

 private:
  WipedText buffer_;
  std::size_t begin_ = 0;
  bool is_broken_ = false;
};

/// The first two fields of a Hello, which can be read in any protocol.
struct Version {
  std::uint32_t protocol = 0;
  std::string version;
};
std::optional<Version> version_in(std::string_view bytes);

}  // namespace aqueduct::job::agent
