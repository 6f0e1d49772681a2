// Connections that have been accepted and have not shown yet who they are. They are served while they come,
// never waited for, and there are never many: where one too many comes, the oldest has to go. So strangers
// that connect and say nothing are in nobody's way. Who has to go although it was on the way to prove itself
// comes again (job/bootstrap/greeter.hpp).
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

  /// What they must prove and say.
  Visitors(const net::JobKey& key, Greeting::Purpose purpose, std::uint32_t participants)
      : key_(key), purpose_(purpose), participants_(participants) {}

  /// Called with the greeting of each that has proved to know the key. Returns what is sent to it; the
  /// connection is closed afterwards unless the function takes it.
  using Receive = std::function<Answer(const Greeting& greeting, net::Descriptor& connection)>;
  /// Called with the greeting of one that knows the key and is in a job of another size, before it is sent
  /// away.
  using Refuse = std::function<void(const Greeting& greeting)>;

  /// Accepts whoever waits at `listener` and hears those that are here. Never blocks.
  void serve(int listener, const Receive& receive, const Refuse& refuse = {});
  void add_to_poll(std::vector<pollfd>& polled) const;
  void clear() { waiting_.clear(); }

  /// How many were dropped that have not proved to know the key, because of what they said or because they
  /// said nothing.
  std::uint64_t dropped() const { return dropped_; }
  /// "; connections with a wrong key were refused: 3 from 192.0.2.7", for the end of a line that says who has
  /// not come; empty if there were none.
  std::string describe_wrong_keys() const;

 private:
  static constexpr std::size_t kMostNamed = 4;

  struct Visitor {
    net::Descriptor connection;
    std::string heard;  // since the challenge, if there is one
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
