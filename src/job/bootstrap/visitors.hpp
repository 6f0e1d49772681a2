// Connections that have been accepted and have not proved yet who they are. Nobody waits for them, and there
// are at most kMost: one more drops the oldest. So strangers that connect and send nothing block nobody. A
// participant that is dropped in this way connects again (job/bootstrap/greeter.hpp).
#pragma once
#include <poll.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "job/bootstrap/handshake.hpp"
#include "net/tcp_socket.hpp"

namespace aqueduct::job {

class Visitors {
 public:
  static constexpr std::size_t kMost = 128;

  /// Visitors must prove that they know `key`, and greet for `purpose` and `participants`.
  Visitors(const net::JobKey& key, Greeting::Purpose purpose, std::uint32_t participants)
      : key_(key), purpose_(purpose), participants_(participants) {}

  /// Called with the greeting of each visitor that has proved that it knows the key. Returns the answer to
  /// send; the connection is closed afterwards unless the function takes it.
  using Receive = std::function<GreetingAnswer(const Greeting& greeting, net::Descriptor& connection)>;
  /// Called with the greeting of a visitor that knows the key but is in a job of another size, before it is
  /// sent away.
  using Refuse = std::function<void(const Greeting& greeting)>;

  /// Accepts connections that wait at `listener` and reads from those it has. Never blocks.
  void serve(int listener, const Receive& receive, const Refuse& refuse = {});
  void add_to_poll(std::vector<pollfd>& polled) const;
  void clear() { waiting_.clear(); }

  /// How many visitors were dropped that had not proved that they know the key.
  std::uint64_t dropped() const { return dropped_; }
  /// "; connections with a wrong key were refused: 3 from 192.0.2.7", for the end of a line that says who has
  /// not come; empty if there were none.
  std::string describe_wrong_keys() const;

 private:
  static constexpr std::size_t kMostNamed = 4;

  struct Visitor {
    net::Descriptor connection;
    std::string heard;  // bytes received since the challenge, or since the beginning
    std::optional<Challenge> challenge = {};
    Greeting greeting = {};
  };
  enum class Hearing : std::uint8_t { kGoesOn, kOver, kDropped };

  void accept_all(int listener);
  Hearing hear(Visitor& visitor, const Receive& receive, const Refuse& refuse);
  Hearing challenge(Visitor& visitor);
  Hearing admit(Visitor& visitor, const Receive& receive, const Refuse& refuse);
  void note_wrong_key(net::Address from);

  net::JobKey key_;
  Greeting::Purpose purpose_;
  std::uint32_t participants_;
  std::deque<Visitor> waiting_;
  std::uint64_t dropped_ = 0;
  std::vector<std::pair<net::Address, std::uint64_t>>
      wrong_keys_;  // by host, without ports; the first kMostNamed
  std::uint64_t wrong_elsewhere_ = 0;
};

}  // namespace aqueduct::job
