// Connections that have been accepted and have not shown yet who they are. They are served while they come,
// never waited for, and there are never many: where one too many comes, the oldest has to go. So strangers
// that connect and say nothing are in nobody's way.
#pragma once
#include <poll.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "job/tcp_socket.hpp"

namespace aqueduct::job {

class Visitors {
 public:
  static constexpr std::size_t kMost = 128;

  /// What they must show.
  Visitors(const JobKey& key, Greeting::Purpose purpose, std::uint32_t participants)
      : key_(key), purpose_(purpose), participants_(participants) {}

  /// Called with each that has shown a correct greeting. Returns what is sent to it; the connection is closed
  /// afterwards unless the function takes it.
  using Receive = std::function<Answer(const Greeting& greeting, Descriptor& connection)>;
  /// Called with the greeting of one of another version or another size of job, before it is sent away.
  using Refuse = std::function<void(const Greeting& greeting, Verdict verdict)>;

  /// Accepts whoever waits at `listener` and hears those that are here. Never blocks.
  void serve(int listener, const Receive& receive, const Refuse& refuse = {});
  void add_to_poll(std::vector<pollfd>& polled) const;
  void clear() { waiting_.clear(); }

  /// How many were dropped without an answer, because of what they said or because they said nothing.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Visitor {
    Descriptor connection;
    std::string heard;
  };

  void accept_all(int listener);
  /// True when it has been served and is gone.
  bool hear(Visitor& visitor, const Receive& receive, const Refuse& refuse);

  JobKey key_;
  Greeting::Purpose purpose_;
  std::uint32_t participants_;
  std::deque<Visitor> waiting_;
  std::uint64_t dropped_ = 0;
};

}  // namespace aqueduct::job
