// The side of the handshake that connects and greets (job/bootstrap/handshake.hpp): Greeter tries one
// connection, PersistentGreeter tries again until there is an answer.
#pragma once
#include <poll.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "job/bootstrap/handshake.hpp"
#include "net/tcp_socket.hpp"

namespace aqueduct::job {

/// Exchanges the messages of handshake.hpp over one connection, up to the answer.
class Greeter {
 public:
  Greeter() = default;
  /// Connects. Replaces the nonce of `greeting` by a new one.
  Greeter(const net::Address& where, const Greeting& greeting, const net::JobKey& key);

  enum class State : std::uint8_t { kUnderWay, kAnswered, kClosed };
  /// Does what is possible without waiting.
  State advance();
  int fd() const { return socket_.get(); }
  bool wants_to_send() const { return step_ == Step::kGreets || step_ == Step::kProves; }
  /// After kAnswered. If its `version` is ours, the answer comes from somebody who knows the key; otherwise
  /// nothing but the version means anything. The connection may be used further.
  const GreetingAnswer& answer() const { return answer_; }
  net::Descriptor take_connection() { return std::move(socket_); }
  /// Whether the greeting has been sent, so that somebody listens there.
  bool is_reached() const { return step_ != Step::kGreets; }
  /// After kClosed: the reason, in words.
  std::string why() const;

 private:
  enum class Step : std::uint8_t { kGreets, kIsChallenged, kProves, kIsAnswered };

  State close(int error);
  /// True once all bytes of this step's `message` have been transferred.
  template <class Message>
  bool send_all(const Message& message);
  template <class Message>
  bool receive_all(Message& message);

  Greeting greeting_;
  net::JobKey key_;
  Challenge challenge_;
  Proof proof_{};
  GreetingAnswer answer_;
  net::Descriptor socket_;
  Step step_ = Step::kGreets;
  std::size_t moved_ = 0;  // bytes of this step's message
  bool is_closed_ = false;
  int error_ = 0;
};

/// How long to wait for the first answer, and the advice that the error line gives after that.
struct Patience {
  std::chrono::milliseconds longest{std::chrono::seconds(10)};
  std::string advice = {};
};

/// Connects again, after pauses that grow, when a connection ends without an answer: the other side may not
/// listen yet, or may be busy with strangers. Gives up when its patience ends, also if the connection is
/// neither made nor refused then; and after one second and several tries if the greeting was taken but never
/// answered.
class PersistentGreeter {
 public:
  PersistentGreeter(const net::Address& where, const Greeting& greeting, const net::JobKey& key,
                    std::chrono::milliseconds patience = Patience().longest);

  /// Does what is possible without waiting. kClosed: it has given up.
  Greeter::State advance();
  /// After an answer that leaves the question open (GreetingVerdict::kNotYet): greets again, after a pause.
  void greet_again();

  const net::Address& where() const { return where_; }
  const GreetingAnswer& answer() const { return greeter_.answer(); }
  net::Descriptor take_connection() { return greeter_.take_connection(); }
  bool is_reached() const { return greeter_.is_reached(); }
  std::string why() const {
    return is_trying_ ? "it does not answer; a firewall may drop what is sent to that port" : greeter_.why();
  }

  void add_to_poll(std::vector<pollfd>& polled) const;
  /// How long the caller may sleep if nothing happens.
  int pause_ms() const;

 private:
  using Clock = std::chrono::steady_clock;

  void pause();

  net::Address where_;
  Greeting greeting_;
  net::JobKey key_;
  std::chrono::milliseconds patience_;
  Greeter greeter_;
  bool is_trying_ = false;
  Clock::time_point next_try_;
  std::optional<Clock::time_point> answered_;  // the time of the last answer, or of the first try
  std::chrono::milliseconds pause_{1};
  unsigned tries_ = 0;  // connections that were closed without an answer, since the last answer
};

}  // namespace aqueduct::job
