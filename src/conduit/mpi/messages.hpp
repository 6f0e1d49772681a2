// Message passing by a real MPI (parts/message_passing/message_passing.hpp), on the communicator of a
// session. An operation's name is the place of its request in a table. Threads: any.
#pragma once
#include <vector>

#include "conduit/mpi/session.hpp"
#include "parts/message_passing/message_passing.hpp"

namespace aqueduct::conduit::mpi {

class Messages final : public parts::MessagePassing {
 public:
  explicit Messages(Session& session);

  RankId rank() const override { return rank_; }
  RankId size() const override { return size_; }
  parts::Operation isend(const void* data, std::size_t bytes, RankId to, parts::Tag tag) override;
  parts::Operation irecv(void* buffer, std::size_t room, RankId from, parts::Tag tag) override;
  bool test(parts::Operation operation, parts::Status* status) override;

 private:
  parts::Operation new_operation();

  Session& session_;
  RankId rank_ = 0;
  RankId size_ = 1;
  std::vector<MPI_Request> requests_{1, MPI_REQUEST_NULL};  // number 0 is none
  std::vector<parts::Operation> free_;
};

}  // namespace aqueduct::conduit::mpi
