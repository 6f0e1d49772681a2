// Messages of any size between memory of two ranks, without copies of ours: each side names the other, a tag
// and where the bytes are, and hears when its part is over.
//
// MPI counts in an int: what is larger goes in several messages with one tag, which arrive in order.
//
// Threads: whoever calls holds the session.
#pragma once
#include <vector>

#include "conduit/mpi/session.hpp"

namespace aqueduct::conduit::mpi {

class Bulk {
 public:
  /// What a transfer is called when it is over.
  struct Name {
    std::uint32_t kind = 0;
    RankId peer = 0;
    std::uint32_t number = 0;
  };

  explicit Bulk(Session& session) : session_(session) {}

  void send(const void* from, std::size_t bytes, RankId to_rank, unsigned tag, const Name& name);
  void receive(void* to, std::size_t bytes, RankId from_rank, unsigned tag, const Name& name);

  bool is_idle() const { return requests_.empty(); }
  /// Calls `is_over(name)` for each transfer that is; it may start others.
  template <class IsOver>
  unsigned advance(IsOver&& is_over) {
    if (is_idle()) return 0;
    const std::vector<Name>& over = take_finished();
    for (const Name& name : over) is_over(name);
    return static_cast<unsigned>(over.size());
  }

 private:
  /// Of one transfer; several requests may be of one.
  struct Transfer {
    Name name;
    unsigned requests = 0;
  };
  template <class Post>
  void start(std::size_t bytes, const Name& name, Post&& post);
  const std::vector<Name>& take_finished();

  Session& session_;
  std::vector<MPI_Request> requests_;  // under way
  std::vector<unsigned> owners_;       // for each of them, its transfer
  std::vector<Transfer> transfers_;
  std::vector<unsigned> free_;
  std::vector<int> done_;
  std::vector<Name> finished_;
};

}  // namespace aqueduct::conduit::mpi
