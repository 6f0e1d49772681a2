// What the processes of an MPI tell each other while it starts: keys and values, put by one and got by others
// after a fence. MPIs ask their launcher for that, in the words of PMI 1; here the job's bootstrap does it,
// so that an MPI starts wherever the job does, whoever has launched it.
//
// A fence is one all-gather of what was put since the last one. Every rank fences as often as every other.
// Used by one thread at a time, while the conduit is opened.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "job/bootstrap/bootstrap.hpp"

namespace aqueduct::conduit::mpi {

class KeyValues {
 public:
  static constexpr std::size_t kMostKey = 64;
  static constexpr std::size_t kMostValue = 1024;

  explicit KeyValues(job::Bootstrap& bootstrap) : bootstrap_(bootstrap) {}

  RankId rank() const { return bootstrap_.rank(); }
  RankId size() const { return bootstrap_.size(); }

  /// What is put can be got here at once, elsewhere after the next fence. A key is put once.
  void put(std::string_view key, std::string_view value);
  void fence();
  /// Null if nobody has put that.
  const std::string* get(std::string_view key) const;

 private:
  job::Bootstrap& bootstrap_;
  std::string unsent_;
  std::unordered_map<std::string, std::string> known_;
};

}  // namespace aqueduct::conduit::mpi
