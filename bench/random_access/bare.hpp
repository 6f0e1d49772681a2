// The speed of the bare machine: the same updates of the same words by plain loads and stores, with each word
// prefetched some updates before it is changed, without messages.
//
// If all ranks map the whole table, every rank updates all of it, as threads of one process would, and
// simultaneous updates of a word may be lost. Otherwise each rank does as many updates of its own part.
#pragma once
#include <vector>

#include "version.hpp"

namespace aqueduct::bench::random_access {

class Bare {
 public:
  /// `parts` are the parts of all ranks in this process's addresses; null where one is not mapped here.
  Bare(const Job& job, std::vector<std::uint64_t*> parts);

  /// Collective: nanoseconds for all updates of all ranks. The table must be reset afterwards.
  double run_pass();

  /// Names for a table of results.
  static constexpr const char* kNameOfShared =
      "the same updates of one shared table by loads and stores of all ranks, without messages";
  static constexpr const char* kNameOfOwn = "as many updates of its own part by every rank, without messages";
  bool is_shared() const { return is_shared_; }

 private:
  void update_all();
  void update_own();

  const Job& job_;
  std::vector<std::uint64_t*> parts_;
  bool is_shared_;
};

}  // namespace aqueduct::bench::random_access
