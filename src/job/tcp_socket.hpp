// TCP sockets that never block: the few calls that the bootstrap and its rendezvous need. Errors are values;
// what they mean is the caller's to say.
#pragma once
#include <string>
#include <string_view>

#include "job/descriptor.hpp"
#include "job/greeting.hpp"

namespace aqueduct::job {

/// Listens at `where` (port 0: any that is free; no family: at all of the host's IPv4 addresses). Invalid
/// with errno if that is not possible.
Descriptor listen_at(const NetAddress& where);

/// The next connection that waits at `listener`, invalid with errno if there is none.
Descriptor accept_from(int listener);

/// Begins to connect. Invalid with errno if that fails at once; if it does later, the first transfer says so.
Descriptor connect_to(const NetAddress& where);

/// This end and the other end of a connection; without family where the system does not tell.
NetAddress local_address(int socket);
NetAddress peer_address(int socket);

/// What became of a transfer.
struct Transferred {
  std::size_t bytes = 0;
  bool is_closed = false;  ///< by the other end, or broken: `error` then is not zero
  int error = 0;
};

/// As many bytes as can be taken or given now.
Transferred receive_some(int socket, void* to, std::size_t bytes);
Transferred send_some(int socket, const void* from, std::size_t bytes);

/// One connection on which a greeting goes one way and an answer the other, at the side that greets.
class Greeter {
 public:
  Greeter() = default;
  Greeter(const NetAddress& where, const Greeting& greeting);

  enum class State : std::uint8_t { kUnderWay, kAnswered, kClosed };
  /// Goes on; never blocks.
  State advance();
  int fd() const { return socket_.get(); }
  bool wants_to_send() const { return sent_ < sizeof greeting_; }
  /// After kAnswered. The connection may be used further.
  const Answer& answer() const { return answer_; }
  Descriptor take_connection() { return std::move(socket_); }
  /// Whether there was somebody who took the greeting.
  bool is_reached() const { return sent_ == sizeof greeting_; }
  /// After kClosed: why, in words.
  std::string why() const;

 private:
  State close(int error);

  Greeting greeting_;
  Answer answer_;
  Descriptor socket_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  int error_ = 0;
};

}  // namespace aqueduct::job
