#include "conduit/mpi/bulk.hpp"

#include <algorithm>

namespace aqueduct::conduit::mpi {
namespace {

constexpr std::size_t kMostPiece = std::size_t{1} << 30;

}  // namespace

template <class Post>
void Bulk::start(std::size_t bytes, bool is_send, const AtEnd& at_end, Post&& post) {
  if (free_.empty()) {
    free_.push_back(static_cast<unsigned>(transfers_.size()));
    transfers_.emplace_back();
  }
  const unsigned transfer = free_.back();
  free_.pop_back();
  transfers_[transfer] = {at_end, 0, is_send};
  if (is_send) ++sending_;
  for (std::size_t at = 0; at < bytes; at += kMostPiece) {
    MPI_Request request = MPI_REQUEST_NULL;
    post(at, static_cast<int>(std::min(kMostPiece, bytes - at)), &request);
    requests_.push_back(request);
    owners_.push_back(transfer);
    ++transfers_[transfer].requests;
  }
}

void Bulk::send(const void* from, std::size_t bytes, RankId to_rank, BulkTag tag, const AtEnd& at_end) {
  start(bytes, true, at_end, [&](std::size_t at, int piece, MPI_Request* request) {
    Session::check(
        MPI_Isend(static_cast<const std::byte*>(from) + at, piece, MPI_BYTE, static_cast<int>(to_rank),
                  static_cast<int>(tag), session_.communicator(), request),
        "MPI_Isend");
  });
}

void Bulk::receive(void* to, std::size_t bytes, RankId from_rank, BulkTag tag, const AtEnd& at_end) {
  start(bytes, false, at_end, [&](std::size_t at, int piece, MPI_Request* request) {
    Session::check(MPI_Irecv(static_cast<std::byte*>(to) + at, piece, MPI_BYTE, static_cast<int>(from_rank),
                             static_cast<int>(tag), session_.communicator(), request),
                   "MPI_Irecv");
  });
}

unsigned Bulk::advance() {
  if (is_idle()) return 0;
  done_.resize(requests_.size());
  int count = 0;
  Session::check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done_.data(),
                              MPI_STATUSES_IGNORE),
                 "MPI_Testsome");
  if (count <= 0) return 0;
  finished_.clear();
  done_.resize(static_cast<std::size_t>(count));
  std::ranges::sort(done_, std::greater<>());  // so that the last one fills the gap
  for (const int index : done_) {
    const auto place = static_cast<std::size_t>(index);
    const unsigned owner = owners_[place];
    requests_[place] = requests_.back();
    owners_[place] = owners_.back();
    requests_.pop_back();
    owners_.pop_back();
    if (--transfers_[owner].requests != 0) continue;
    if (transfers_[owner].is_send) --sending_;
    finished_.push_back(transfers_[owner].at_end);
    free_.push_back(owner);
  }
  for (const AtEnd& at_end : finished_) at_end.function(at_end.owner, at_end.record);
  return static_cast<unsigned>(finished_.size());
}

}  // namespace aqueduct::conduit::mpi
