#include "conduit/mpi/messages.hpp"

#include <mutex>

namespace aqueduct::conduit::mpi {

Messages::Messages(Session& session) : session_(session) {
  int rank = 0, size = 1;
  MPI_Comm_rank(session.communicator(), &rank);
  MPI_Comm_size(session.communicator(), &size);
  rank_ = static_cast<RankId>(rank);
  size_ = static_cast<RankId>(size);
}

parts::Operation Messages::new_operation() {
  if (free_.empty()) {
    requests_.push_back(MPI_REQUEST_NULL);
    return static_cast<parts::Operation>(requests_.size() - 1);
  }
  const parts::Operation operation = free_.back();
  free_.pop_back();
  return operation;
}

parts::Operation Messages::isend(const void* data, std::size_t bytes, RankId to, parts::Tag tag) {
  const std::lock_guard guard(session_);
  const parts::Operation operation = new_operation();
  Session::check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(to),
                           static_cast<int>(tag), session_.communicator(), &requests_[operation]),
                 "MPI_Isend");
  return operation;
}

parts::Operation Messages::irecv(void* buffer, std::size_t room, RankId from, parts::Tag tag) {
  const std::lock_guard guard(session_);
  const parts::Operation operation = new_operation();
  const int source = from == parts::kAnySource ? MPI_ANY_SOURCE : static_cast<int>(from);
  Session::check(MPI_Irecv(buffer, static_cast<int>(room), MPI_BYTE, source, static_cast<int>(tag),
                           session_.communicator(), &requests_[operation]),
                 "MPI_Irecv");
  return operation;
}

bool Messages::test(parts::Operation operation, parts::Status* status) {
  const std::lock_guard guard(session_);
  int is_over = 0;
  MPI_Status result;
  Session::check(MPI_Test(&requests_[operation], &is_over, &result), "MPI_Test");
  if (!is_over) return false;
  free_.push_back(operation);
  if (status) {
    int bytes = 0;
    MPI_Get_count(&result, MPI_BYTE, &bytes);
    *status = {static_cast<RankId>(result.MPI_SOURCE), static_cast<std::size_t>(bytes)};
  }
  return true;
}

}  // namespace aqueduct::conduit::mpi
