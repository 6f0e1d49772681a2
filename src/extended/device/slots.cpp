#include "extended/device/slots.hpp"

#include <mutex>

namespace aqueduct::extended::device_memory {

void Slots::open(const device::HostRange& memory) {
  is_open_ = true;
  memory_ = memory;
  slots_.resize(memory.bytes / kBytes);
  // The first is taken first: as little as possible of the room is touched.
  for (std::size_t i = slots_.size(); i-- > 0;) {
    slots_[i].memory = memory.base + i * kBytes;
    free_.push_back(&slots_[i]);
  }
  for (std::size_t& share : share_) share = (slots_.size() + 1) / 2;
}

bool Slots::has_any(Slot::Use use) const {
  const std::lock_guard guard(lock_);
  return share_[static_cast<unsigned>(use)] != 0;
}

Slot* Slots::take(Slot::Use use, RankId peer) {
  const std::lock_guard guard(lock_);
  std::size_t& taken = taken_[static_cast<unsigned>(use)];
  if (taken == share_[static_cast<unsigned>(use)] || free_.empty()) return nullptr;
  ++taken;
  Slot* const slot = free_.back();
  free_.pop_back();
  slot->use = use;
  slot->is_lent = true;
  slot->peer = peer;
  return slot;
}

void Slots::give_back(Slot& slot) {
  const std::lock_guard guard(lock_);
  slot.is_lent = false;
  --taken_[static_cast<unsigned>(slot.use)];
  free_.push_back(&slot);
}

Slot* Slots::came(RankId source, const void* address) {
  const std::size_t offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - memory_.base);
  const std::lock_guard guard(lock_);
  if (offset / kBytes >= slots_.size() || offset % kBytes != 0) return nullptr;
  Slot& slot = slots_[offset / kBytes];
  if (!slot.is_lent || slot.peer != source) return nullptr;
  slot.is_lent = false;
  return &slot;
}

void Slots::retire(RankId dead) {
  const std::lock_guard guard(lock_);
  for (Slot& slot : slots_) {
    if (!slot.is_lent || slot.peer != dead) continue;
    slot.is_lent = false;
    --taken_[static_cast<unsigned>(slot.use)];
    --share_[static_cast<unsigned>(slot.use)];
  }
}

}  // namespace aqueduct::extended::device_memory
