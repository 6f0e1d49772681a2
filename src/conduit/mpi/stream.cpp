#include "conduit/mpi/stream.hpp"

namespace aqueduct::conduit::mpi {
namespace {

constexpr int kTag = 1;
constexpr unsigned kSendsUnsettled = 8;  // that may lie about

}  // namespace

Stream::Stream(Session& session, std::size_t buffer_bytes, unsigned receives, unsigned sends,
               unsigned for_answers)
    : session_(session), buffer_bytes_(buffer_bytes), receives_(receives), for_answers_(for_answers) {
  // Half as many again, so that as many are posted when some have been used.
  const unsigned posted = receives + receives / 2 + 1;
  buffers_.resize(posted + sends);
  for (unsigned i = 0; Buffer & buffer : buffers_) {
    buffer.bytes = std::make_unique_for_overwrite<std::byte[]>(buffer_bytes);
    (i++ < posted ? used_ : free_).push_back(&buffer);
  }
  used_.reserve(posted);
  post_used();
}

void Stream::post_used() {
  for (Buffer* buffer : used_) {
    Session::check(MPI_Irecv(buffer->bytes.get(), static_cast<int>(buffer_bytes_), MPI_BYTE, MPI_ANY_SOURCE,
                             kTag, session_.communicator(), &buffer->request),
                   "MPI_Irecv");
    receiving_.push_back(buffer);
  }
  used_.clear();
}

// Sends that are over give their buffers back; in order, which is how they end.
void Stream::settle(unsigned most) {
  for (; most != 0 && !sending_.empty(); --most) {
    int is_over = 0;
    Session::check(MPI_Test(&sending_.front()->request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
    if (!is_over) return;
    free_.push_back(sending_.front());
    sending_.pop_front();
  }
}

Stream::Buffer* Stream::room_to_send(bool is_answer) {
  const std::size_t kept = is_answer ? 0 : for_answers_;
  if (free_.size() <= kept) settle(~0u);
  if (free_.size() <= kept) return nullptr;
  Buffer* const buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void Stream::send(Buffer* buffer, std::size_t bytes, RankId target) {
  Session::check(MPI_Isend(buffer->bytes.get(), static_cast<int>(bytes), MPI_BYTE, static_cast<int>(target),
                           kTag, session_.communicator(), &buffer->request),
                 "MPI_Isend");
  sending_.push_back(buffer);
  // A little at a time, and when the message is under way: nobody waits for this.
  if (sending_.size() > kSendsUnsettled) settle(2);
}

void Stream::cancel() {
  for (Buffer* buffer : receiving_) {
    MPI_Cancel(&buffer->request);
    MPI_Wait(&buffer->request, MPI_STATUS_IGNORE);
  }
  receiving_.clear();
}

bool Stream::receive(Arrival* arrival) {
  if (receiving_.empty()) post_used();
  if (receiving_.empty()) return false;
  Buffer* const buffer = receiving_.front();
  int is_over = 0;
  MPI_Status status;
  Session::check(MPI_Test(&buffer->request, &is_over, &status), "MPI_Test");
  if (!is_over) return false;
  receiving_.pop_front();
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  *arrival = {buffer, static_cast<RankId>(status.MPI_SOURCE), static_cast<std::size_t>(bytes)};
  return true;
}

}  // namespace aqueduct::conduit::mpi
