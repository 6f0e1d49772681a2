// How somebody on the same host asks a job of several hosts for the states of all its ranks: through a socket
// without a name in a file system, at which the launcher, or the warden of the first host, answers. The job's
// header says its name.
//
//   who asks  ─── Inspect ──▶  who answers, and asks the agents of other hosts in turn
//             ◀── Inspected ─
//
// Only the job's own user, and root, are answered. Jobs of one host have no such socket: their shared memory
// can be read.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "job/inspection/inspection.hpp"
#include "job/messages/agent_link.hpp"
#include "net/event_set.hpp"
#include "observe/state.hpp"

namespace aqueduct::job {

/// The side that answers.
class Inquiries {
 public:
  /// Watches its sockets in this set, and stays where it is. Calls `asked` when somebody has asked.
  Inquiries(net::EventSet& events, std::function<void()> asked) : events_(events), asked_(std::move(asked)) {}

  /// Listens at a new name. False if the system does not allow it: then nobody can ask.
  bool open();
  const std::string& name() const { return name_; }

  /// What is wanted of all that wait for an answer.
  InspectOptions wanted() const { return wanted_; }
  bool are_waiting() const;
  void answer(const std::vector<observe::RankState>& states);

 private:
  static constexpr std::size_t kMostAtOnce = 16;

  struct Asker {
    std::unique_ptr<agent::Link> link;
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

/// The side that asks, and waits for some seconds at most. Nothing, with a word in `*why`, if there is no
/// answer.
std::optional<std::vector<observe::RankState>> inquire(const std::string& name, const InspectOptions& look,
                                                       std::string* why);

}  // namespace aqueduct::job
