// Lets a process on the same host ask a job of several hosts for the states of all its ranks, through a
// socket without a name in a file system. The launcher, or the warden of the first host, answers there; the
// job's header has the socket's name.
//
//   who asks  ─── Inspect ──▶  who answers, and asks the agents of other hosts in turn
//             ◀── Inspected ─
//
// Only the job's own user and root get answers. Jobs of one host have no such socket, because all their
// ranks' states are in shared memory.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "job/inspection/inspection.hpp"
#include "job/messages/rank_messages.hpp"
#include "net/event_set.hpp"
#include "observe/state.hpp"

namespace aqueduct::job {

/// The side that answers; tools/aqueduct/watch/inquire.hpp asks.
class Inquiries {
 public:
  /// Watches its sockets in `events`, and calls `asked` when somebody has asked. The object must not move.
  Inquiries(net::EventSet& events, std::function<void()> asked) : events_(events), asked_(std::move(asked)) {}

  /// Listens at a new name. False if the system does not allow it; then nobody can ask.
  bool open();
  const std::string& name() const { return name_; }

  /// The union of what all waiting askers want.
  InspectOptions wanted() const { return wanted_; }
  bool are_waiting() const;
  void answer(const std::vector<observe::RankState>& states);

 private:
  static constexpr std::size_t kMostAtOnce = 16;

  struct Asker {
    std::unique_ptr<RankLink> link;
    bool is_waiting = false;
  };

  void accept();
  void hear(std::size_t index);

  net::EventSet& events_;
  std::function<void()> asked_;
  net::Descriptor listener_;
  std::string name_;
  std::vector<Asker> askers_;
  InspectOptions wanted_;
};

}  // namespace aqueduct::job
