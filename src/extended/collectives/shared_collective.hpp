// What collectives in shared memory have in common: a team starts them in the same order on all members, each
// member runs them one after the other, and they are known by their numbers, from 1 on.
#pragma once
#include <cstdint>

#include "extended/collectives/request.hpp"

namespace aqueduct::extended::collectives {

class SharedCollective {
 public:
  /// Starts one and answers its number. By one thread of the team at a time.
  virtual std::uint64_t start(const Request& request) = 0;
  /// Does what can be done now; true if the one with that number is complete. Any thread.
  virtual bool passed(std::uint64_t number) = 0;
  /// The number of the last one that is complete.
  virtual std::uint64_t completed() const = 0;

 protected:
  ~SharedCollective() = default;
};

}  // namespace aqueduct::extended::collectives
