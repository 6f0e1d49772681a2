// The reading end of a pair (pair.hpp): takes what one node sends.
//
// take() is called by one thread at a time. A message that was taken is answered by any thread, once, and
// keeps its slot until then.
#pragma once
#include <cstdint>
#include <span>

#include "fabric/pieces.hpp"
#include "fabric/shm/pair.hpp"

namespace aqueduct::fabric::shm {

/// A message in its slot.
struct Taken {
  std::uint32_t slot = 0;  // its index
  std::span<const std::byte> header;
  std::size_t payload_bytes = 0;
  const std::byte* payload = nullptr;  // null: larger than what comes along
};

/// A chunk of a larger payload.
struct TakenChunk {
  std::uint64_t landing = 0;
  std::span<const std::byte> data;
};

class Reader {
 public:
  void open(Pair* pair) { pair_ = pair; }

  /// The next message, if there is one.
  bool take(Taken* taken) {
    const SlotWord word = pair_->slots[head_ % kSlots].load();
    if (!word.is(lap_of(head_, kSlots), SlotState::kMessage)) return false;
    *taken = look(head_ % kSlots);
    ++head_;
    return true;
  }

  /// A message that has been taken and not answered.
  Taken look(std::uint32_t index) const {
    const RingSlot& slot = pair_->slots[index];
    const SlotWord word = slot.load();
    Taken taken{index, {slot.body, word.small()}, word.large(), nullptr};
    if (taken.payload_bytes <= kBesideBytes) {
      taken.payload = RingSlot::holds(word.small(), taken.payload_bytes)
                          ? slot.body + RingSlot::payload_offset(word.small())
                          : pair_->beside[index];
    }
    return taken;
  }

  /// Frees the slot of a message. True if its writer waits for room.
  bool answer_taken(std::uint32_t index) {
    answer(index, SlotState::kTaken);
    light_fence();
    return pair_->room_wanted.load(std::memory_order_relaxed) != 0 &&
           pair_->room_wanted.exchange(0, std::memory_order_relaxed) != 0;
  }

  void answer_go(std::uint32_t index, const Go& go) {
    std::memcpy(pair_->slots[index].body, &go, sizeof go);
    answer(index, SlotState::kGo);
  }

  /// The next chunk, if there is one. It is freed by done_with_chunk(), before the next is taken.
  bool take_chunk(TakenChunk* taken) const {
    const Chunk& chunk = pair_->chunks[chunk_head_ % kChunks];
    const ChunkWord word = chunk.load();
    if (!word.is(lap_of(chunk_head_, kChunks), ChunkState::kFull)) return false;
    *taken = {chunk.landing, {pair_->data[chunk_head_ % kChunks], word.large()}};
    return true;
  }
  void done_with_chunk() {
    pair_->chunks[chunk_head_ % kChunks].store(
        ChunkWord::make(lap_of(chunk_head_, kChunks), ChunkState::kEmpty));
    ++chunk_head_;
  }

 private:
  void answer(std::uint32_t index, SlotState state) {
    RingSlot& slot = pair_->slots[index];
    slot.store(SlotWord::make(slot.load().lap(), state));
  }

  Pair* pair_ = nullptr;
  std::uint32_t head_ = 0;
  std::uint32_t chunk_head_ = 0;
};

}  // namespace aqueduct::fabric::shm
