// A table of objects that handles name. Its slots do not move, are allocated in small chunks on demand, and
// count the lives of their objects. The caller holds the lock of the table's owner.
//
// A free slot is reused only after kRest others, so that a stale handle stays invalid as long as its few
// generation bits allow.
#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace aqueduct::nic {

/// The table's part of each object.
struct TableSlot {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< all 32 bits travel in messages; a handle has the lower ones
  bool live = false;
  TableSlot* next_free = nullptr;
};

/// Handles have an index of up to `kMaxIndex` and the bits of `kGenerationMask` of the generation.
template <class Object, std::uint32_t kMaxIndex, std::uint32_t kGenerationMask>
class Table {
 public:
  /// Null: `limit` objects are live already, or there is no memory.
  Object* take(std::uint32_t limit) {
    if (live_ >= limit) return nullptr;
    if (free_ <= kRest && slots() < kMaxIndex && !grow() && free_ == 0) return nullptr;
    TableSlot* slot = first_free_;
    if (slot == nullptr) return nullptr;
    first_free_ = slot->next_free;
    if (first_free_ == nullptr) last_free_ = nullptr;
    --free_;
    ++live_;
    slot->live = true;
    return static_cast<Object*>(slot);
  }

  void give_back(Object& object) {
    object.live = false;
    ++object.generation;
    --live_;
    append(object);
  }

  Object* find(std::uint32_t index, std::uint32_t generation) {
    Object* object = at(index);
    if (object == nullptr || !object->live) return nullptr;
    return (object->generation & kGenerationMask) == generation ? object : nullptr;
  }

  /// The same for any generation.
  Object* find_live(std::uint32_t index) {
    Object* object = at(index);
    return object != nullptr && object->live ? object : nullptr;
  }

  template <class Function>
  void for_each_live(Function function) {
    for (std::uint32_t index = 0; index < slots(); ++index) {
      if (Object* object = at(index); object->live) function(*object);
    }
  }

  std::uint32_t live() const { return live_; }

 private:
  static constexpr std::uint32_t kChunk = 16;
  static constexpr std::uint32_t kRest = 8;

  std::uint32_t slots() const { return static_cast<std::uint32_t>(chunks_.size()) * kChunk; }

  Object* at(std::uint32_t index) {
    return index < slots() ? &chunks_[index / kChunk][index % kChunk] : nullptr;
  }

  bool grow() {
    std::unique_ptr<Object[]> chunk{new (std::nothrow) Object[kChunk]};
    if (chunk == nullptr) return false;
    const std::uint32_t first = slots();
    chunks_.push_back(std::move(chunk));
    for (std::uint32_t i = 0; i < kChunk; ++i) {
      Object& object = chunks_.back()[i];
      object.index = first + i;
      append(object);
    }
    return true;
  }

  void append(TableSlot& slot) {
    slot.next_free = nullptr;
    (last_free_ != nullptr ? last_free_->next_free : first_free_) = &slot;
    last_free_ = &slot;
    ++free_;
  }

  std::vector<std::unique_ptr<Object[]>> chunks_;
  TableSlot* first_free_ = nullptr;
  TableSlot* last_free_ = nullptr;
  std::uint32_t free_ = 0;
  std::uint32_t live_ = 0;
};

}  // namespace aqueduct::nic
