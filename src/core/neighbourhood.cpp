#include "core/neighbourhood.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include "job/shared_memory.hpp"
#include "trace/trace.hpp"

namespace aqueduct::core {

Neighbourhood::Neighbourhood(const job::Membership& membership, std::size_t segment_span, bool threaded)
    : rank_(membership.rank),
      size_(membership.size),
      memory_fd_(membership.memory_fd),
      segment_span_(segment_span) {
  static_assert(sizeof(Mailboxes) % kPage == 0);
  const std::size_t board_offset = round_up(size_ * sizeof(Member), kPage);
  const std::size_t rank_boards_offset = board_offset + round_up(kBoardBytes, kPage);
  const std::size_t mailboxes_offset =
      rank_boards_offset + std::size_t{size_} * kRankBoardPlaces * kRankBoardBytes;
  shared_bytes_ = mailboxes_offset + std::size_t{size_} * size_ * kLanes * sizeof(Mailboxes);
  segments_offset_ = job::kNeighbourhoodPlace + shared_bytes_;

  shared_ = static_cast<std::byte*>(
      job::map_shared(memory_fd_, job::kNeighbourhoodPlace, shared_bytes_, "the mailboxes"));
  members_ = reinterpret_cast<Member*>(shared_);
  board_ = shared_ + board_offset;
  rank_boards_ = shared_ + rank_boards_offset;
  mailboxes_ = reinterpret_cast<Mailboxes*>(shared_ + mailboxes_offset);

  register_for_heavy_fences();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    inboxes_[lane] = std::vector<Inbox>(size_);
    for (RankId peer = 0; peer < size_; ++peer) inboxes_[lane][peer].open(mailboxes(rank_, peer, lane));
    if (!threaded && lane != 0) continue;
    outboxes_[lane] = std::vector<Outbox>(size_);
    for (RankId peer = 0; peer < size_; ++peer) {
      outboxes_[lane][peer].open(mailboxes(peer, rank_, lane), &members_[peer].doorbell, peer == rank_);
    }
  }
}

Neighbourhood::~Neighbourhood() { ::munmap(shared_, shared_bytes_); }

void Neighbourhood::wake_all_others() const {
  for (RankId peer = 0; peer < size_; ++peer) {
    if (peer != rank_) members_[peer].doorbell.ring_if_needed();
  }
}

void* Neighbourhood::map_segment(RankId rank, std::size_t bytes, std::size_t offset) const {
  const std::size_t place = segments_offset_ + rank * segment_span_ + offset;
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory_fd_,
                        static_cast<off_t>(place));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void Neighbourhood::drop_segment(RankId rank, std::size_t bytes, std::size_t offset) const {
  const std::size_t place = segments_offset_ + rank * segment_span_ + offset;
  ::fallocate(memory_fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place),
              static_cast<off_t>(bytes));
}

bool Neighbourhood::send(const PollState& state, RankId to, const Message& request, std::intptr_t shift) {
  Outbox& outbox = state.outboxes[to];
  if (state.lane_is_shared) shared_lane_lock_.lock();
  bool sent = true;
  if (outbox.is_idle()) {
    outbox.express.write(request, shift);
    if (outbox.pace.handed_over()) outbox.pace.turn();
  } else if (!outbox.queue.full()) {
    outbox.queue.write(request, shift);
  } else {
    sent = false;
  }
  if (state.lane_is_shared) shared_lane_lock_.unlock();
  if (sent) members_[to].doorbell.ring_if_needed();
  return sent;
}

void Neighbourhood::introduce(unsigned index, PollState* state) {
  if (index != 0) bias_.revoke();
  state->index = index;
  state->lane = index < kLanes - 1 ? index : kLanes - 1;
  state->lane_is_shared = index >= kLanes - 1;
  state->outboxes = outboxes_[state->lane].data();
  state->reach = state->lane_is_shared || trace::is_watching() ? 0 : size_;
  // Readers look only at lanes below this mark; it must be visible before the first message of the lane can
  // matter, and it is, because a reader that misses it now sees it at a later poll.
  std::atomic<std::uint32_t>& used = members_[rank_].lanes_used;
  std::uint32_t before = used.load(std::memory_order_relaxed);
  while (before < state->lane + 1 && !used.compare_exchange_weak(before, state->lane + 1)) {
  }
}

}  // namespace aqueduct::core
