// Looks at the ranks of this host from outside: reads their records in shared memory, and what the system
// says about their processes. The supervisor of the ranks and any process of the same user may use it.
//
// It reads the memory without mapping it, so that ranks that damage the memory cannot harm this process.
//
// Stacks   A signal asks each thread of a rank, and a handler of the library answers
//          (core/position_signal.hpp). A process that is stopped, or would not catch the signal, is not
//          asked. A thread that does not answer within the patience has no stack in the report.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"
#include "observe/symbols.hpp"

namespace aqueduct::job {

struct InspectOptions {
  bool with_stacks = false;
  bool with_counters = false;  ///< of all peers; otherwise only of those whose credits a rank waits for
  int patience_ms = 300;
};

class Inspection {
 public:
  /// `ranks`, of a job of `size`, are on this host; `host` is its name for reports, or empty.
  Inspection(int memory_fd, std::vector<RankId> ranks, RankId size, std::string host);

  /// Takes at most the patience and some milliseconds.
  std::vector<observe::RankState> look(const InspectOptions& look);

 private:
  struct Seen;

  void read(Seen& seen) const;
  void ask(const std::vector<Seen*>& asked) const;
  void add_counters(observe::RankState& state, const Seen& seen) const;
  void add_awaited_counters(observe::RankState& state, const Seen& seen) const;
  observe::RankState state_of(const Seen& before, const Seen& now, bool with_stacks);

  int memory_fd_;
  std::vector<RankId> ranks_;
  RankId size_;
  std::string host_;
  observe::Symbols symbols_;
};

}  // namespace aqueduct::job
