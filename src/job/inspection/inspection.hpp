// Looks at the ranks of this host from outside: their records in shared memory, and what the system says of
// their processes. Works for the supervisor of the ranks as for any process of the same user.
//
// The memory is copied, not mapped: whatever ranks do to it harms nobody here.
//
// Stacks   Threads of ranks that run, or sleep, are asked by a signal, which a handler of the library answers
//          (core/position_signal.hpp). A process that is stopped is not asked, nor one that would not catch the signal.
//          Who has not answered within the patience has no stack in the report.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"
#include "observe/symbols.hpp"

namespace aqueduct::job {

struct InspectOptions {
  bool with_stacks = false;
  bool with_counters = false;  ///< of all peers; else only of those for whose credits a rank waits
  int patience_ms = 300;
};

class Inspection {
 public:
  /// `ranks` of a job of `size` are on this host, which is named `host`; without a name they need none.
  Inspection(int memory_fd, std::vector<RankId> ranks, RankId size, std::string host);

  /// Takes as long as the patience at most, and some milliseconds.
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
