#include "core/neighbourhood.hpp"

#include <algorithm>
#include <cerrno>

#include "base/fatal.hpp"
#include "job/place/shared_memory.hpp"
#include "trace/trace.hpp"
#include "world/world.hpp"

namespace aqueduct::core {
namespace {

// The first message in a place would wait for its pages, a microsecond or two for each. So those that are
// used first are made present at the start, as long as what a rank writes to all its neighbours together
// stays small: envelopes and inline buffers, then large places for requests.
void make_present(Mailboxes& mailboxes, RankId ranks) {
  if (world::is_simulated()) return;  // where they would be many, and nobody measures
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

namespace {

// Of the set of those who write to one reader.
std::size_t writers_words(RankId size) { return round_up(size, 512) / 64; }
std::size_t writers_offset(RankId size, std::size_t member_bytes) {
  return round_up(size * member_bytes, kPage);
}
std::size_t board_offset(RankId size, std::size_t member_bytes) {
  return writers_offset(size, member_bytes) +
         round_up(size * writers_words(size) * sizeof(std::uint64_t), kPage);
}

}  // namespace

std::size_t Neighbourhood::mailboxes_offset(RankId size, RankId reader, RankId writer, unsigned lane,
                                            unsigned lanes) {
  return board_offset(size, sizeof(Member)) + round_up(kBoardBytes, kPage) +
         std::size_t{size} * kRankBoardPlaces * kRankBoardBytes +
         ((std::size_t{reader} * size + writer) * lanes + lane) * sizeof(Mailboxes);
}

Neighbourhood::Neighbourhood(world::World& world, const job::Layout& layout, RankId rank,
                             std::size_t segment_span, bool threaded)
    : rank_(rank),
      local_(layout.local_rank_of(rank)),
      size_(layout.local_size(layout.host_of(rank))),
      first_(layout.rank_at(layout.host_of(rank), 0)),
      lanes_(world.is_simulated() ? 1 : kLanes),
      memory_(world.open_neighbourhood(layout.host_of(rank),
                                       bytes_for(layout.largest_host(), segment_span, lanes_))),
      segment_span_(segment_span) {
  static_assert(sizeof(Mailboxes) % kPage == 0);
  number_neighbours(layout);
  const std::size_t board = board_offset(size_, sizeof(Member));
  segments_offset_ = mailboxes_offset(size_, size_, 0, 0, lanes_);

  std::byte* const shared = map(0, mailboxes_offset(size_, 0, 0, 0), "the boards");
  members_ = reinterpret_cast<Member*>(shared);
  writers_of_ = reinterpret_cast<std::atomic<std::uint64_t>*>(shared + writers_offset(size_, sizeof(Member)));
  writers_ = writers_of_ + local_ * writers_words(size_);
  board_ = shared + board;
  rank_boards_ = board_ + round_up(kBoardBytes, kPage);
  for (RankId peer = 0; peer < size_; ++peer) bells_.push_back(&members_[peer].doorbell);

  // Of all mailboxes this rank maps those that it reads, which lie side by side, and those that it writes:
  // one lane or all to each neighbour.
  register_for_heavy_fences();
  read_ = reinterpret_cast<Mailboxes*>(map(mailboxes_offset(size_, local_, 0, 0, lanes_),
                                           std::size_t{size_} * lanes_ * sizeof(Mailboxes), "the mailboxes"));
  written_lanes_ = threaded ? lanes_ : 1;
  threads_share_lane_ = threaded && lanes_ == 1;
  const bool opens_all = threaded || size_ <= kAllOpen;
  open_lanes(opens_all ? lanes_ : 1);
  for (unsigned lane = 0; lane < written_lanes_; ++lane) {
    outboxes_[lane] = std::vector<Outbox>(size_);
    for (RankId peer = 0; peer < size_; ++peer) outboxes_[lane][peer].doorbell = bells_[peer];
  }
  for (RankId peer = 0; peer < size_; ++peer) {
    if (opens_all || peer == local_) open_outbox(peer);
  }
}

void Neighbourhood::open_lanes(unsigned used) {
  for (; open_lanes_ < used; ++open_lanes_) {
    inboxes_[open_lanes_] = std::vector<Inbox>(size_);
    for (RankId peer = 0; peer < size_; ++peer) {
      Mailboxes* const mailboxes = read_ + std::size_t{peer} * lanes_ + open_lanes_;
      inboxes_[open_lanes_][peer].open(mailboxes, rank_at(peer));
      if (open_lanes_ == 0 && peer != local_) make_present(*mailboxes, size_);
    }
  }
}

void Neighbourhood::open_outbox(RankId peer) {
  auto* const written = reinterpret_cast<Mailboxes*>(
      map(mailboxes_offset(size_, peer, local_, 0, lanes_), written_lanes_ * sizeof(Mailboxes), "a mailbox"));
  if (peer != local_) make_present(*written, size_);
  for (unsigned lane = 0; lane < written_lanes_; ++lane)
    outboxes_[lane][peer].open(written + lane, rank_at(peer), bells_[peer], peer == local_);
  // Before anything can be written there: who then looks sees it.
  writers_of_[peer * writers_words(size_) + local_ / 64].fetch_or(std::uint64_t{1} << local_ % 64);
}

void Neighbourhood::number_neighbours(const job::Layout& layout) {
  constexpr RankId kMost = UINT16_MAX;
  if (size_ > kMost)
    fatal("gex_Client_Init",
          "%u ranks share this host; at most %u can be neighbours (GASNET_SUPERNODE_MAXSIZE)", size_, kMost);
  const job::HostId host = layout.host_of(rank_);
  if (layout.rank_at(host, size_ - 1) == first_ + size_ - 1) return;
  local_ranks_ = ZeroedArray<std::uint16_t>(layout.size());
  for (RankId local = 0; local < size_; ++local) {
    ranks_.push_back(layout.rank_at(host, local));
    local_ranks_[ranks_.back()] = static_cast<std::uint16_t>(local + 1);
  }
}

Neighbourhood::~Neighbourhood() {
  for (const auto& [address, bytes] : mapped_) memory_->unmap(address, bytes);
}

std::byte* Neighbourhood::map(std::size_t offset, std::size_t bytes, const char* what) {
  std::byte* const address = memory_->map(offset, bytes);
  if (!address)
    fatal("gex_Client_Init", "cannot map %s: %s", what, job::why_not_mapped(bytes, errno).c_str());
  mapped_.emplace_back(address, bytes);
  return address;
}

void Neighbourhood::wake_all_others() const {
  for (RankId peer = 0; peer < size_; ++peer) {
    if (peer != local_) bells_[peer]->ring_if_needed();
  }
}

void* Neighbourhood::map_segment(RankId rank, std::size_t bytes, std::size_t offset) const {
  const std::size_t place = segments_offset_ + local_rank_of(rank) * segment_span_ + offset;
  void* const mapped = memory_->map(place, bytes);
  if (mapped && rank == rank_) memory_->keep_in_core_file(mapped, place, bytes);
  return mapped;
}

void Neighbourhood::drop_segment(RankId rank, std::size_t bytes, std::size_t offset) const {
  memory_->drop(segments_offset_ + local_rank_of(rank) * segment_span_ + offset, bytes);
}

// What of a message needs a large place.
static std::size_t large_bytes(const Message& message) {
  return message.category == Category::kMedium ? message.payload_bytes : 0;
}

bool Neighbourhood::send(PollState& state, RankId to, const Message& request, std::intptr_t shift) {
  const RankId local = local_rank(state, to);
  if (!outboxes_[0][local].is_plain) [[unlikely]]
    open_outbox(local);
  Outbox& outbox = state.outboxes[local];
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
  if (sent) outbox.doorbell->ring_if_needed();
  return sent;
}

void Neighbourhood::refuse(RankId writer, const char* what) {
  fatal("poll",
        "shared memory is corrupted: rank %u cannot have written %s; look for a stray write in rank %u",
        writer, what, writer);
}

void Neighbourhood::list_unanswered(observe::WaitRecord& record) const {
  const unsigned lanes = members_[local_].lanes_used.load(std::memory_order_relaxed);
  for (RankId peer = 0; peer < size_; ++peer) {
    std::uint64_t missing = 0;
    for (unsigned lane = 0; lane < std::min(lanes, kLanes); ++lane) {
      if (peer < outboxes_[lane].size()) missing += outboxes_[lane][peer].under_way();
    }
    if (peer == local_ || missing == 0) continue;
    char what[32];
    std::snprintf(what, sizeof what, "%llu %s", static_cast<unsigned long long>(missing),
                  missing == 1 ? "reply" : "replies");
    record.add_missing(rank_at(peer), what);
  }
}

void Neighbourhood::audit() const {
  for (RankId peer = 0; peer < size_; ++peer) {
    for (unsigned lane = 0; has_written(peer) && lane < std::min(lanes_used(peer), open_lanes_); ++lane) {
      const Inbox& inbox = inboxes_[lane][peer];
      if (!inbox.express.is_sound() || !inbox.queue.is_sound())
        refuse(rank_at(peer), "what its mailbox to this rank holds");
    }
    for (unsigned lane = 0; lane < kLanes && !outboxes_[lane].empty(); ++lane) {
      const Outbox& outbox = outboxes_[lane][peer];
      if (!outbox.express.is_sound() || !outbox.queue.is_sound())
        refuse(rank_at(peer), "its answers to this rank");
    }
  }
}

void Neighbourhood::watch_requests(PollState& state) {
  constexpr std::uint32_t kWorthIt = 3;
  if (++state.in_vain < kWorthIt || state.watches || state.index != 0 || others_came_.load()) return;
  if (!state.watched) {
    state.watched = std::make_unique<RequestWatch[]>(size_);
  }
  RequestWatch* watch = state.watched.get();
  for (RankId peer = 0; peer < size_; ++peer) {
    if (peer == local_) continue;
    if (!outboxes_[0][peer].is_idle()) return;
    if (!has_written(peer)) continue;
    const Inbox& inbox = inboxes_[0][peer];
    if (inbox.backoff.is_armed()) return;
    const std::uint64_t express = inbox.express.next(), queue = inbox.queue.next();
    *watch++ = {&inbox.express.header_at(express), &inbox.queue.header_at(queue),
                ExpressMemory::lap_of(express), QueueMemory::lap_of(queue)};
  }
  state.peers = static_cast<RankId>(watch - state.watched.get());
  state.watches = true;
}

void Neighbourhood::introduce(unsigned index, PollState* state) {
  if (index != 0) {
    bias_.revoke();
    others_came_.store(true, std::memory_order_relaxed);
  }
  state->index = index;
  state->others_came = &others_came_;
  state->lane = index < lanes_ - 1 ? index : lanes_ - 1;
  state->lane_is_shared = index >= kLanes - 1 || threads_share_lane_;
  state->outboxes = outboxes_[state->lane].data();
  state->local_ranks = local_ranks_.size() != 0 ? local_ranks_.data() : nullptr;
  state->first = first_;
  state->ranks = static_cast<RankId>(local_ranks_.size());
  state->reach = state->lane_is_shared || world::is_simulated() || trace::is_watching() ? 0 : size_;
  // Readers look only at lanes below this mark; it must be visible before the first message of the lane can
  // matter, and it is, because a reader that misses it now sees it at a later poll.
  std::atomic<std::uint32_t>& used = members_[local_].lanes_used;
  std::uint32_t before = used.load(std::memory_order_relaxed);
  while (before < state->lane + 1 && !used.compare_exchange_weak(before, state->lane + 1)) {
  }
}

}  // namespace aqueduct::core
