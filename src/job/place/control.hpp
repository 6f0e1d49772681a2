// What a rank tells its supervisor, over a SOCK_SEQPACKET socket that each rank has to itself.
//
// A rank announces how it leaves before it does, because a wait status cannot tell gasnet_exit(3) from
// exit(3) and carries no text:
//   Start{ms}    the rank is a client's; after it has left, others may wait for `ms` at most
//   Exit{code}   the rank called gasnet_exit(code)
//   Return{}     the rank called exit() or returned from main
//   Hang{}       the rank asks for a report of the hang: it has waited for too long, or got SIGUSR1
//   Abort{peer, text}
//                the rank found an error that ends the job; the supervisor prints the text. If the error is
//                that a peer does not answer, the supervisor adds what it knows of the peer
// One message is one datagram. The supervisor sends nothing; if the socket closes, the rank has lost its
// supervisor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace aqueduct::job {

inline constexpr std::size_t kMaxAbortText = 4000;

enum class ControlKind : std::uint32_t { kExit = 1, kAbort = 2, kReturn = 3, kStart = 4, kHang = 5 };

struct Announcement {
  ControlKind kind = ControlKind::kExit;
  /// Of kExit; of kStart, the milliseconds; of kAbort, the rank that does not answer plus one, or 0.
  int code = 0;
  std::string text;  ///< of kAbort, one line
};

/// Never block, allocate or raise SIGPIPE; any thread. False if the supervisor is gone.
bool announce_start(int control_fd, int timeout_ms);
bool announce_exit(int control_fd, int code);
bool announce_return(int control_fd);
bool announce_hang(int control_fd);
/// `peer`: the rank that does not answer; -1: the error is another one.
bool announce_abort(int control_fd, const char* text, int peer = -1);

/// The next message that waits at the supervisor's end, or nothing. Drops malformed messages.
std::optional<Announcement> receive_announcement(int control_fd);

}  // namespace aqueduct::job
