// What a rank tells its supervisor, over a SOCK_SEQPACKET socket that each rank has to itself.
//
// A rank announces how it leaves before it does, because a wait status cannot tell gasnet_exit(3) from
// exit(3) and carries no text:
//   Start{ms}    the rank has joined a job of clients; once it has left, others may wait for so long
//   Exit{code}   the rank called gasnet_exit(code)
//   Return{}     the rank called exit() or returned from main
//   Hang{}       somebody wants to know why the job does not go on: the rank has waited for too long, or got SIGUSR1
//   Abort{peer, text}
//                the rank found an error that ends the job; the supervisor prints the text, and nothing else. If
//                the error is that a peer does not answer, what is known of that one is put into the text
// One message is one datagram. The supervisor sends nothing; a rank whose socket closes has lost its
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
/// `peer`: the rank that does not answer; -1: it is not about that.
bool announce_abort(int control_fd, const char* text, int peer = -1);

/// The next message that waits at the supervisor's end, or nothing. What is malformed is dropped.
std::optional<Announcement> receive_announcement(int control_fd);

}  // namespace aqueduct::job
