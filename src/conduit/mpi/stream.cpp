#include "conduit/mpi/stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "conduit/mpi/start.hpp"

namespace aqueduct::conduit::mpi {
namespace {

constexpr int kTag = 1;
constexpr unsigned kBetweenTests = 16;  // sends
constexpr unsigned kTestedAtOnce = 64;
constexpr std::size_t kAskedAtOnce = 256;  // bytes: from here on memory that is warm is worth a call

// Every status has the size, and a member of Open MPI's own spares a call.
template <class Status>
std::size_t bytes_of(const Status& status) {
  const auto counted = [&] {
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return static_cast<std::size_t>(bytes);
  };
  if constexpr (requires { status._ucount; }) {
    assert(status._ucount == counted());
    return status._ucount;
  }
  return counted();
}

}  // namespace

Stream::Stream(Session& session, std::size_t buffer_bytes, unsigned receives, unsigned sends)
    : session_(session),
      buffer_bytes_(buffer_bytes),
      sends_(sends),
      settle_at_(kBetweenTests),
      over_at_return_(request_over_at_return(session.communicator())) {
  // Some more, so that as many are posted when some have been used.
  for (unsigned i = 0; i < receives + kMostUsed; ++i) {
    add_to(used_);
    ++used_count_;
    Buffer& buffer = buffers_.back();
    Session::check(MPI_Recv_init(buffer.bytes.get(), static_cast<int>(buffer_bytes_), MPI_BYTE,
                                 MPI_ANY_SOURCE, kTag, session_.communicator(), &buffer.request),
                   "MPI_Recv_init");
  }
  post_used();
}

void Stream::add_to(List& list) {
  Buffer& buffer = buffers_.emplace_back();
  buffer.bytes = std::make_unique_for_overwrite<std::byte[]>(buffer_bytes_);
  std::memset(buffer.bytes.get(), 0, buffer_bytes_);  // the kernel makes its pages now, not later
  list.push(&buffer);
}

void Stream::post_all_used() {
  while (!used_.is_empty()) {
    Buffer* const buffer = used_.pop();
    buffer->bytes[0] = kNothing;
    Session::check(MPI_Start(&buffer->request), "MPI_Start");
    posted_.push(buffer);
  }
  used_count_ = 0;
}

// Sends that are over give their buffers back, in order, which is how they end.
void Stream::settle() {
  MPI_Request requests[kTestedAtOnce];
  int over[kTestedAtOnce];
  int count = 0, over_count = 0;
  for (const Buffer* send = sending_.first(); send && count < static_cast<int>(kTestedAtOnce);
       send = send->next)
    requests[count++] = send->request;
  if (count != 0)
    Session::check(MPI_Testsome(count, requests, &over_count, over, MPI_STATUSES_IGNORE), "MPI_Testsome");
  Buffer* send = sending_.first();
  for (int i = 0; i < count; ++i, send = send->next) send->request = requests[i];
  while (!sending_.is_empty() && sending_.first()->request == MPI_REQUEST_NULL) {
    free_.push_front(sending_.pop());
    --under_way_;
  }
  settle_at_ = under_way_ + kBetweenTests;
}

// The message is under way already: nobody waits for this call.
bool Stream::is_over(Buffer& send) {
  int is_over = 0;
  Session::check(MPI_Test(&send.request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
  return is_over != 0;
}

void Stream::send(Buffer* buffer, std::size_t bytes, RankId target) {
  Session::check(MPI_Isend(buffer->bytes.get(), static_cast<int>(bytes), MPI_BYTE, static_cast<int>(target),
                           kTag, session_.communicator(), &buffer->request),
                 "MPI_Isend");
  if (buffer->request == over_at_return_ || (bytes >= kAskedAtOnce && is_over(*buffer))) {
    free_.push_front(buffer);
    return;
  }
  sending_.push(buffer);
  if (++under_way_ >= settle_at_) settle();  // when the message is under way: nobody waits for this
}

void Stream::cancel() {
  while (!posted_.is_empty()) {
    Buffer* const buffer = posted_.pop();
    MPI_Cancel(&buffer->request);
    MPI_Wait(&buffer->request, MPI_STATUS_IGNORE);
    MPI_Request_free(&buffer->request);
  }
}

bool Stream::receive(Arrival* arrival) {
  if (posted_.is_empty()) [[unlikely]] {
    post_used();
    if (posted_.is_empty()) return false;
  }
  Buffer* const buffer = posted_.first();
  int is_over = 0;
  MPI_Status status;
  Session::check(MPI_Test(&buffer->request, &is_over, &status), "MPI_Test");
  if (!is_over) return false;
  posted_.pop();
  *arrival = {buffer, static_cast<RankId>(status.MPI_SOURCE), bytes_of(status)};
  return true;
}

}  // namespace aqueduct::conduit::mpi
