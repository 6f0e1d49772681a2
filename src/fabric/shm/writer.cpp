#include "fabric/shm/writer.hpp"

#include <algorithm>
#include <cstring>

#include "base/prefetch.hpp"
#include "base/race_hints.hpp"

namespace aqueduct::fabric::shm {
namespace {

static_assert(kSlots <= 64, "one bit for each slot");
constexpr std::uint64_t bit(std::uint32_t position) { return std::uint64_t{1} << (position % kSlots); }

constexpr std::uint32_t kAhead = 4;

}  // namespace

bool Writer::is_free(std::uint32_t position) const {
  const SlotWord word = pair_->slots[position % kSlots].load();
  return word.lap() == lap_before(lap_of(position, kSlots)) && word.state() != SlotState::kMessage &&
         (awaited_ & bit(position)) == 0;
}

bool Writer::send(std::span<const std::byte> header, std::span<const Piece> payload, std::size_t bytes,
                  std::uint64_t cookie) {
  const bool is_large = bytes > kBesideBytes;
  if (!is_free(tail_) || (is_large && large_count_.load(std::memory_order_relaxed) == kMostLarge)) {
    pair_->room_wanted.store(1, std::memory_order_relaxed);
    return false;
  }
  RingSlot& slot = pair_->slots[tail_ % kSlots];
  std::copy(header.begin(), header.end(), slot.body);
  if (is_large) {
    remember(payload, cookie);
  } else if (bytes != 0) {
    std::byte* const to = RingSlot::holds(header.size(), bytes)
                              ? slot.body + RingSlot::payload_offset(header.size())
                              : pair_->beside[tail_ % kSlots];
    PieceWalk(payload).gather(to, bytes);
  }
  message_leaves(this);
  others_may_follow();
  slot.store(SlotWord::make(lap_of(tail_, kSlots), SlotState::kMessage,
                            static_cast<std::uint8_t>(header.size()), bytes));
  ++tail_;
  // In a stream of messages, fetch a line that was answered long ago before it is needed.
  expect_write(&pair_->slots[(tail_ + kAhead) % kSlots]);
  return true;
}

void Writer::remember(std::span<const Piece> payload, std::uint64_t cookie) {
  const std::uint32_t count = large_count_.load(std::memory_order_relaxed);
  if (large_.size() == count) large_.emplace_back();
  Large& large = large_[count];
  large.position = tail_;
  large.goes = false;
  large.cookie = cookie;
  large.pieces.assign(payload.begin(), payload.end());
  awaited_ |= bit(tail_);
  large_count_.store(count + 1, std::memory_order_relaxed);
}

// Its record goes behind those in use, with the list of pieces that it has grown.
void Writer::finish(std::size_t index, std::vector<std::uint64_t>& sent) {
  sent.push_back(large_[index].cookie);
  const std::uint32_t count = large_count_.load(std::memory_order_relaxed);
  const auto first = large_.begin() + static_cast<std::ptrdiff_t>(index);
  std::rotate(first, first + 1, large_.begin() + count);
  large_count_.store(count - 1, std::memory_order_relaxed);
}

void Writer::give_up(std::vector<std::uint64_t>& sent) {
  is_given_up_ = true;
  while (large_count_.load(std::memory_order_relaxed) != 0) finish(0, sent);
}

void Writer::look_for_go(std::vector<std::uint64_t>& sent) {
  for (std::size_t i = 0; i < large_count_.load(std::memory_order_relaxed);) {
    Large& large = large_[i];
    const RingSlot& slot = pair_->slots[large.position % kSlots];
    const SlotWord word = slot.load();
    if (large.goes || word.state() == SlotState::kMessage) {
      ++i;
      continue;
    }
    awaited_ &= ~bit(large.position);
    if (word.state() == SlotState::kTaken) {  // the reader wants none of it
      finish(i, sent);
      continue;
    }
    Go go;
    std::memcpy(&go, slot.body, sizeof go);
    if (word.state() != SlotState::kGo || go.bytes > total_bytes(large.pieces)) [[unlikely]] {
      is_corrupted_ = true;
      return;
    }
    large.goes = true;
    large.landing = go.landing;
    large.left = go.bytes;
    large.walk = PieceWalk(large.pieces);
    ++i;
  }
}

bool Writer::advance(std::vector<std::uint64_t>& sent) {
  bool has_written = false;
  look_for_go(sent);
  if (is_corrupted_) return false;
  for (std::size_t i = 0; i < large_count_.load(std::memory_order_relaxed);) {
    Large& large = large_[i];
    while (large.goes && large.left != 0) {
      const std::uint8_t lap = lap_of(chunk_tail_, kChunks);
      Chunk& chunk = pair_->chunks[chunk_tail_ % kChunks];
      if (!chunk.load().is(lap_before(lap), ChunkState::kEmpty)) return has_written;
      const std::size_t part = std::min<std::uint64_t>(large.left, kChunkBytes);
      large.walk.gather(pair_->data[chunk_tail_ % kChunks], part);
      chunk.landing = large.landing;
      others_may_follow();
      chunk.store(ChunkWord::make(lap, ChunkState::kFull, 0, part));
      large.left -= part;
      ++chunk_tail_;
      has_written = true;
    }
    if (large.goes) {
      finish(i, sent);
    } else {
      ++i;
    }
  }
  return has_written;
}

}  // namespace aqueduct::fabric::shm
