#include "core/neighbourhood.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/fatal.hpp"
#include "job/core_file.hpp"
#include "job/shared_memory.hpp"
#include "trace/trace.hpp"

namespace aqueduct::core {
namespace {

// The first message in a place would wait for its pages, a microsecond or two for each. So those that are
// used first are made present at the start, as long as what a rank writes to all its neighbours together
// stays small: envelopes and companions, then large places for requests.
void make_present(Mailboxes& mailboxes, RankId ranks) {
  constexpr std::size_t kMostBytes = std::size_t{8} << 20;
  constexpr std::size_t kExpressBytes = offsetof(ExpressMemory, large_requests);
  constexpr std::size_t kQueueBytes = offsetof(QueueMemory, large_requests);
  constexpr std::size_t kLargePlaces = kExpressPlaces + kLargeWindow;
  const std::size_t neighbours = ranks - 1;
  if (neighbours * (kExpressBytes + kQueueBytes) > kMostBytes) return;
  const bool also_large =
      neighbours * (kExpressBytes + kQueueBytes + kLargePlaces * kLargeBytes) <= kMostBytes;
  job::make_present(&mailboxes.express, kExpressBytes + (also_large ? kExpressPlaces * kLargeBytes : 0));
  job::make_present(&mailboxes.queue, kQueueBytes + (also_large ? kLargeWindow * kLargeBytes : 0));
}

}  // namespace

std::size_t Neighbourhood::mailboxes_offset(RankId size, RankId reader, RankId writer, unsigned lane) {
  return round_up(size * sizeof(Member), kPage) + round_up(kBoardBytes, kPage) +
         std::size_t{size} * kRankBoardPlaces * kRankBoardBytes +
         ((std::size_t{reader} * size + writer) * kLanes + lane) * sizeof(Mailboxes);
}

Neighbourhood::Neighbourhood(const job::Membership& membership, std::size_t segment_span, bool threaded)
    : rank_(membership.rank),
      size_(membership.size),
      memory_fd_(membership.memory_fd),
      segment_span_(segment_span) {
  static_assert(sizeof(Mailboxes) % kPage == 0);
  const std::size_t board_offset = round_up(size_ * sizeof(Member), kPage);
  const std::size_t rank_boards_offset = board_offset + round_up(kBoardBytes, kPage);
  segments_offset_ = job::kNeighbourhoodPlace + mailboxes_offset(size_, size_, 0, 0);

  std::byte* const shared = map(0, mailboxes_offset(size_, 0, 0, 0), "the boards");
  members_ = reinterpret_cast<Member*>(shared);
  board_ = shared + board_offset;
  rank_boards_ = shared + rank_boards_offset;

  // Of all mailboxes this rank maps those that it reads, which lie side by side, and those that it writes:
  // one lane or all to each neighbour.
  register_for_heavy_fences();
  const unsigned written_lanes = threaded ? kLanes : 1;
  auto* const read =
      reinterpret_cast<Mailboxes*>(map(mailboxes_offset(size_, rank_, 0, 0),
                                       std::size_t{size_} * kLanes * sizeof(Mailboxes), "the mailboxes"));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    inboxes_[lane] = std::vector<Inbox>(size_);
    for (RankId peer = 0; peer < size_; ++peer) {
      Mailboxes* const mailboxes = read + peer * kLanes + lane;
      inboxes_[lane][peer].open(mailboxes);
      if (lane == 0 && peer != rank_) make_present(*mailboxes, size_);
    }
    if (lane < written_lanes) outboxes_[lane] = std::vector<Outbox>(size_);
  }
  for (RankId peer = 0; peer < size_; ++peer) {
    auto* const written = reinterpret_cast<Mailboxes*>(
        map(mailboxes_offset(size_, peer, rank_, 0), written_lanes * sizeof(Mailboxes), "a mailbox"));
    if (peer != rank_) make_present(*written, size_);
    for (unsigned lane = 0; lane < written_lanes; ++lane)
      outboxes_[lane][peer].open(written + lane, &members_[peer].doorbell, peer == rank_);
  }
}

Neighbourhood::~Neighbourhood() {
  for (const auto& [address, bytes] : mapped_) ::munmap(address, bytes);
}

std::byte* Neighbourhood::map(std::size_t offset, std::size_t bytes, const char* what) {
  void* const address = job::map_shared(memory_fd_, job::kNeighbourhoodPlace + offset, bytes, what);
  mapped_.emplace_back(address, bytes);
  return static_cast<std::byte*>(address);
}

void Neighbourhood::wake_all_others() const {
  for (RankId peer = 0; peer < size_; ++peer) {
    if (peer != rank_) members_[peer].doorbell.ring_if_needed();
  }
}

void* Neighbourhood::map_segment(RankId rank, std::size_t bytes, std::size_t offset) const {
  const std::size_t place = segments_offset_ + rank * segment_span_ + offset;
  void* const mapped = job::try_map_shared(memory_fd_, place, bytes);
  if (mapped && rank == rank_) job::keep_in_core_file(mapped, bytes, memory_fd_, place);
  return mapped;
}

void Neighbourhood::drop_segment(RankId rank, std::size_t bytes, std::size_t offset) const {
  const std::size_t place = segments_offset_ + rank * segment_span_ + offset;
  job::forget_in_core_file(place);
  ::fallocate(memory_fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place),
              static_cast<off_t>(bytes));
}

// What of a message needs a large place.
static std::size_t large_bytes(const Message& message) {
  return message.category == Category::kMedium ? message.payload_bytes : 0;
}

bool Neighbourhood::send(PollState& state, RankId to, const Message& request, std::intptr_t shift) {
  Outbox& outbox = state.outboxes[to];
  state.watches = false;
  if (state.lane_is_shared) shared_lane_lock_.lock();
  bool sent = true;
  if (outbox.is_idle()) {
    outbox.express.write(request, shift);
    if (outbox.backoff.handed_over()) outbox.backoff.turn();
  } else if (!outbox.queue.full_for(large_bytes(request))) {
    outbox.queue.write(request, shift);
  } else {
    sent = false;
  }
  if (state.lane_is_shared) shared_lane_lock_.unlock();
  if (sent) members_[to].doorbell.ring_if_needed();
  return sent;
}

void Neighbourhood::refuse(RankId writer, const char* what) {
  fatal("poll",
        "shared memory is corrupted: rank %u cannot have written %s; look for a stray write in rank %u",
        writer, what, writer);
}

void Neighbourhood::audit() const {
  for (RankId peer = 0; peer < size_; ++peer) {
    for (unsigned lane = 0; lane < lanes_used(peer); ++lane) {
      const Inbox& inbox = inboxes_[lane][peer];
      if (!inbox.express.is_sound() || !inbox.queue.is_sound())
        refuse(peer, "what its mailbox to this rank holds");
    }
    for (unsigned lane = 0; lane < kLanes && !outboxes_[lane].empty(); ++lane) {
      const Outbox& outbox = outboxes_[lane][peer];
      if (!outbox.express.is_sound() || !outbox.queue.is_sound()) refuse(peer, "its answers to this rank");
    }
  }
}

void Neighbourhood::watch_requests(PollState& state) {
  constexpr std::uint32_t kWorthIt = 3;
  if (++state.in_vain < kWorthIt || state.watches || state.index != 0 || others_came_.load()) return;
  if (!state.watched) {
    state.watched = std::make_unique<RequestWatch[]>(size_);
    state.peers = size_ - 1;
  }
  RequestWatch* watch = state.watched.get();
  for (RankId peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    const Inbox& inbox = inboxes_[0][peer];
    if (!outboxes_[0][peer].is_idle() || inbox.backoff.is_armed()) return;
    const std::uint64_t express = inbox.express.next(), queue = inbox.queue.next();
    *watch++ = {&inbox.express.header_at(express), &inbox.queue.header_at(queue),
                ExpressMemory::lap_of(express), QueueMemory::lap_of(queue)};
  }
  state.watches = true;
}

void Neighbourhood::introduce(unsigned index, PollState* state) {
  if (index != 0) {
    bias_.revoke();
    others_came_.store(true, std::memory_order_relaxed);
  }
  state->index = index;
  state->others_came = &others_came_;
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
