// The side that greets (job/bootstrap/handshake.hpp): one connection, and one after the other until there is
// an answer.
#pragma once
#include <poll.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "job/bootstrap/handshake.hpp"
#include "net/tcp_socket.hpp"

namespace aqueduct::job {

/// One connection on which the messages of handshake.hpp go to and fro, up to the answer.
class Greeter {
 public:
  Greeter() = default;
  /// The nonce of `greeting` is chosen here.
  Greeter(const net::Address& where, const Greeting& greeting, const net::JobKey& key);

  enum class State : std::uint8_t { kUnderWay, kAnswered, kClosed };
  /// Goes on; never blocks.
  State advance();
  int fd() const { return socket_.get(); }
  bool wants_to_send() const { return step_ == Step::kGreets || step_ == Step::kProves; }
  /// After kAnswered. Only an answer whose `version` is ours comes from somebody who knows the key, and only
  /// then does it say more than that version. The connection may be used further.
  const Answer& answer() const { return answer_; }
  net::Descriptor take_connection() { return std::move(socket_); }
  /// Whether there was somebody who took the greeting.
  bool is_reached() const { return step_ != Step::kGreets; }
  /// After kClosed: why, in words.
  std::string why() const;

 private:
  enum class Step : std::uint8_t { kGreets, kIsChallenged, kProves, kIsAnswered };

  State close(int error);
  /// True when all bytes of `message` have been transferred in this step, which then is over.
  template <class Message>
  bool send_all(const Message& message);
  template <class Message>
  bool receive_all(Message& message);

  Greeting greeting_;
  net::JobKey key_;
  Challenge challenge_;
  Proof proof_{};
  Answer answer_;
  net::Descriptor socket_;
  Step step_ = Step::kGreets;
  std::size_t moved_ = 0;  // bytes of this step's message
  bool is_closed_ = false;
  int error_ = 0;
};

/// How long nobody may answer before the first answer, and what to do then, for the line that says so.
struct Patience {
  std::chrono::milliseconds longest{std::chrono::seconds(10)};
  std::string advice = {};
};

/// Connects again where a connection ends without an answer, after pauses that grow: the other one may not
/// listen yet, or strangers may have taken its time. Gives up after the time of its patience, also with a
/// connection that is neither made nor refused; after one second where there was somebody who took the
/// greeting several times and never answered.
class PersistentGreeter {
 public:
  PersistentGreeter(const net::Address& where, const Greeting& greeting, const net::JobKey& key,
                    std::chrono::milliseconds patience = Patience().longest);

  /// Goes on; never blocks. kClosed: has given up.
  Greeter::State advance();
  /// After an answer that was none: greets again, after a pause.
  void greet_again();

  const net::Address& where() const { return where_; }
  const Answer& answer() const { return greeter_.answer(); }
  net::Descriptor take_connection() { return greeter_.take_connection(); }
  bool is_reached() const { return greeter_.is_reached(); }
  std::string why() const {
    return is_trying_ ? "it does not answer; a firewall may drop what is sent to that port" : greeter_.why();
  }

  void add_to_poll(std::vector<pollfd>& polled) const;
  /// How long it makes sense to sleep if nothing happens.
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
  std::optional<Clock::time_point> answered_;  // or first tried
  std::chrono::milliseconds pause_{1};
  unsigned tries_ = 0;  // that were closed without an answer, since the last answer
};

}  // namespace aqueduct::job
