// The messages between a launcher and the agents of its hosts (hosts/agent.hpp), as frames
// (job/messages/frames.hpp). Some are those of everybody who watches ranks (job/messages/rank_messages.hpp).
//
//   launcher                                    agent, one for each host
//       ◀── Hello ───────────────────────────────  who I am, what I have
//       ─── Meet ──▶ first host   ◀── Meeting ───  a rendezvous listens there
//       ─── Reach ─▶ others       ◀── Reached ───  for each address of it: reached, or why not
//       ─── Start ─────────────▶  ◀── Started ───  or Failed
//       ◀── Happened, Written, Taken ────────────  ranks announce, end and write; input was read
//       ─── Input, Signal, Hold, Look, Pause, Died ▶
//       ─── Inspect ───────────▶  ◀── Inspected ─  the states of its ranks
//       ─── Beat ──────────────▶  ◀── Beat ──────  at intervals: we live (job/messages/heartbeat.hpp)
//       ─── Finish ────────────▶  ◀── Finished ──  all ranks of the job have ended; nothing is left here
//
// `aqueduct info` sends Ask after Hello, gets Facts, and closes the connection.
//
// An agent begins with kPreamble, so that the launcher can skip the output of login scripts, and Hello, whose
// first two fields are the same in all versions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "job/messages/link.hpp"
#include "job/messages/rank_messages.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job::agent {

/// The version of the messages; both sides must have the same.
inline constexpr std::uint32_t kProtocol = 2;

/// An agent sends this before its first frame.
inline constexpr std::string_view kPreamble = "\nAQUEDUCT-AGENT\n";

void visit_key(auto& fields, const net::JobKey& key) { fields(key.bytes()); }
inline void visit_key(FieldReader& fields, net::JobKey& key) {
  key = net::JobKey::filled_by([&](std::span<std::uint8_t, net::JobKey::kBytes> bytes) { fields(bytes); });
}

struct Hello {
  static constexpr std::uint8_t kNumber = 1;
  static void visit(auto& fields, auto& m) {
    fields(m.protocol, m.version, m.machine, m.interfaces, m.reached_at, m.seen_from);
  }
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
  static constexpr std::uint8_t kNumber = 2;
  static void visit(auto& fields, auto& m) {
    visit_key(fields, m.key);
    fields(m.participants, m.on_loopback);
  }
  net::JobKey key;
  std::uint32_t participants = 0;
  bool on_loopback = false;
  bool operator==(const Meet&) const = default;
};
struct Meeting {
  static constexpr std::uint8_t kNumber = 3;
  static void visit(auto& fields, auto& m) { fields(m.port); }
  std::uint16_t port = 0;
  bool operator==(const Meeting&) const = default;
};

/// Try to reach the rendezvous at each of these.
struct Reach {
  static constexpr std::uint8_t kNumber = 4;
  static void visit(auto& fields, auto& m) {
    visit_key(fields, m.key);
    fields(m.participants, m.addresses);
  }
  net::JobKey key;
  std::uint32_t participants = 0;
  std::vector<std::string> addresses;  ///< with ports
  bool operator==(const Reach&) const = default;
};
struct Reached {
  static constexpr std::uint8_t kNumber = 5;
  static void visit(auto& fields, auto& m) { fields(m.index, m.why_not); }
  std::uint32_t index = 0;  ///< of the address
  std::string why_not;      ///< empty: it answers
  bool operator==(const Reached&) const = default;
};

/// Start these ranks.
struct Start {
  static constexpr std::uint8_t kNumber = 6;
  static void visit(auto& fields, auto& m) {
    fields(m.size, m.ranks, m.machines, m.command, m.directory, m.environment, m.conduit, m.bind, m.tag,
           m.rendezvous, m.launcher);
    visit_key(fields, m.key);
  }
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
  static constexpr std::uint8_t kNumber = 7;
  static void visit(auto&, auto&) {}
  bool operator==(const Started&) const = default;
};
/// The agent cannot do what was asked, and ends.
struct Failed {
  static constexpr std::uint8_t kNumber = 8;
  static void visit(auto& fields, auto& m) { fields(m.why, m.code); }
  std::string why;
  std::int32_t code = 1;
  bool operator==(const Failed&) const = default;
};

struct Written {
  static constexpr std::uint8_t kNumber = 10;
  static void visit(auto& fields, auto& m) { fields(m.rank, m.channel, m.text); }
  std::uint32_t rank = 0;
  std::uint8_t channel = 0;
  std::string text;
  bool operator==(const Written&) const = default;
};
/// Bytes for the standard input of rank 0; empty: its end.
struct Input {
  static constexpr std::uint8_t kNumber = 11;
  static void visit(auto& fields, auto& m) { fields(m.text); }
  std::string text;
  bool operator==(const Input&) const = default;
};
/// Rank 0 has taken so many bytes of its input.
struct Taken {
  static constexpr std::uint8_t kNumber = 12;
  static void visit(auto& fields, auto& m) { fields(m.bytes); }
  std::uint64_t bytes = 0;
  bool operator==(const Taken&) const = default;
};
struct Hold {
  static constexpr std::uint8_t kNumber = 14;
  static void visit(auto& fields, auto& m) { fields(m.channel, m.is_held); }
  std::uint8_t channel = 0;
  bool is_held = false;
  bool operator==(const Hold&) const = default;
};
/// Somebody has sent this signal to the agent.
struct Signalled {
  static constexpr std::uint8_t kNumber = 17;
  static void visit(auto& fields, auto& m) { fields(m.number); }
  std::int32_t number = 0;
  bool operator==(const Signalled&) const = default;
};
struct Finish {
  static constexpr std::uint8_t kNumber = 18;
  static void visit(auto&, auto&) {}
  bool operator==(const Finish&) const = default;
};
struct Ask {
  static constexpr std::uint8_t kNumber = 20;
  static void visit(auto& fields, auto& m) { fields(m.machines, m.ranks); }
  std::string machines;     ///< of the planned job: Layout::text()
  std::uint32_t ranks = 0;  ///< of the planned job
  bool operator==(const Ask&) const = default;
};
struct Facts {
  static constexpr std::uint8_t kNumber = 21;
  static void visit(auto& fields, auto& m) { fields(m.json); }
  std::string json;  ///< as `aqueduct info --json` has it
  bool operator==(const Facts&) const = default;
};

/// The launcher will be stopped, and silent, or goes on.
struct Pause {
  static constexpr std::uint8_t kNumber = 22;
  static void visit(auto& fields, auto& m) { fields(m.is_paused); }
  bool is_paused = false;
  bool operator==(const Pause&) const = default;
};

using Message = std::variant<Hello, Meet, Meeting, Reach, Reached, Start, Started, Failed, Happened, Written,
                             Input, Taken, Signal, Hold, Look, Beat, Signalled, Finish, Finished, Ask, Facts,
                             Pause, Died, Inspect, Inspected>;
using Link = MessageLink<Message>;

/// The first two fields of a Hello, which can be read in any protocol.
struct Version {
  std::uint32_t protocol = 0;
  std::string version;
};
std::optional<Version> version_in(std::string_view bytes);

}  // namespace aqueduct::job::agent
