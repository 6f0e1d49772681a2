// Messages of any size between memory of two ranks, without copies of ours. Whoever begins one says what is
// to be called when it is over.
//
// The two sides of a transfer find each other by their order: both begin those from one rank to another under
// one tag in the order in which the small messages that announce them were sent and taken (stream.hpp), and
// MPI keeps messages of one tag in order. MPI counts in an int: what is larger goes in several messages.
//
// Threads: whoever calls holds the session.
#pragma once
#include <vector>

#include "conduit/mpi/session.hpp"

namespace aqueduct::conduit::mpi {

/// Who goes first: bytes that follow their announcement, and bytes that answer a request for them.
enum class BulkTag : std::uint8_t { kAnnounced = 2, kAskedFor = 3 };

class Bulk {
 public:
  /// Calls `function(owner, record)`, with the session held; it may begin other transfers.
  struct AtEnd {
    void (*function)(void* owner, void* record) = nullptr;
    void* owner = nullptr;
    void* record = nullptr;

    /// Calls a member function of the owner with its record.
    template <auto kFunction, class Owner, class Record>
    static AtEnd call(Owner& owner, Record& record) {
      return {
          [](void* who, void* what) { (static_cast<Owner*>(who)->*kFunction)(*static_cast<Record*>(what)); },
          &owner, &record};
    }
    static AtEnd nothing() {
      return {[](void*, void*) {}};
    }
  };

  explicit Bulk(Session& session) : session_(session) {}

  void send(const void* from, std::size_t bytes, RankId to_rank, BulkTag tag, const AtEnd& at_end);
  void receive(void* to, std::size_t bytes, RankId from_rank, BulkTag tag, const AtEnd& at_end);

  bool is_idle() const { return requests_.empty(); }
  std::size_t under_way() const { return transfers_.size() - free_.size(); }
  bool is_sending() const { return sending_ != 0; }
  /// Looks which transfers are over; returns how many.
  unsigned advance();

 private:
  /// Several requests may be of one.
  struct Pieces {
    AtEnd at_end;
    unsigned requests = 0;
    bool is_send = false;
  };
  template <class Post>
  void start(std::size_t bytes, bool is_send, const AtEnd& at_end, Post&& post);

  Session& session_;
  unsigned sending_ = 0;               // transfers
  std::vector<MPI_Request> requests_;  // under way
  std::vector<unsigned> owners_;       // for each of them, its transfer
  std::vector<Pieces> transfers_;
  std::vector<unsigned> free_;
  std::vector<int> done_;
  std::vector<AtEnd> finished_;
};

}  // namespace aqueduct::conduit::mpi
