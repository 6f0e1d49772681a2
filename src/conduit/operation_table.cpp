#include "conduit/operation_table.hpp"

#include <utility>

namespace aqueduct::conduit {

OperationTable::~OperationTable() {
  for (const std::atomic<Share*>& each : shares_) {
    const Share* const share = each.load(std::memory_order_relaxed);
    if (!share) continue;
    for (const std::atomic<Chunk*>& chunk : share->chunks) delete chunk.load(std::memory_order_relaxed);
    delete share;
  }
}

OperationTable::Share& OperationTable::own_share() {
  std::atomic<Share*>& place = shares_[thread_number() % kShares];
  if (Share* const known = place.load(std::memory_order_acquire)) [[likely]]
    return *known;
  Share* const made = new Share;
  Share* known = nullptr;
  if (place.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *known;
}

PortOperation* OperationTable::take() {
  Share& share = own_share();
  // Threads that wait for one look without the lock: nothing has come back since somebody found none.
  if (share.is_out.load(std::memory_order_relaxed) && !share.returned.load(std::memory_order_relaxed))
    return nullptr;
  const std::lock_guard guard(share.lock);
  if (!share.free) share.free = share.returned.exchange(nullptr, std::memory_order_acquire);
  if (!share.free && share.made != kInShare) make_chunk(share, thread_number() % kShares);
  const bool is_out = !share.free;
  if (share.is_out.load(std::memory_order_relaxed) != is_out)
    share.is_out.store(is_out, std::memory_order_relaxed);
  return is_out ? nullptr : std::exchange(share.free, share.free->next_free);
}

void OperationTable::make_chunk(Share& share, unsigned share_number) {
  Chunk* const chunk = new Chunk;
  for (unsigned i = kInChunk; i-- != 0;) {
    PortOperation& operation = (*chunk)[i];
    operation.number = share_number * kInShare + share.made + i;
    operation.next_free = std::exchange(share.free, &operation);
  }
  share.chunks[share.made / kInChunk].store(chunk, std::memory_order_release);
  share.made += kInChunk;
}

void OperationTable::release(PortOperation& operation, unsigned holds) {
  // Whose hold is the only one that is left needs no exchange: nobody else has one to take off.
  if (operation.holds.load(std::memory_order_acquire) == holds) {
    operation.holds.store(0, std::memory_order_relaxed);
  } else if (operation.holds.fetch_sub(holds, std::memory_order_acq_rel) != holds) {
    return;
  }
  Share& share = *shares_[operation.number / kInShare].load(std::memory_order_relaxed);
  operation.next_free = share.returned.load(std::memory_order_relaxed);
  while (!share.returned.compare_exchange_weak(operation.next_free, &operation, std::memory_order_release,
                                               std::memory_order_relaxed)) {
  }
}

PortOperation* OperationTable::find(std::uint32_t number) const {
  if (number >= kShares * kInShare) return nullptr;
  const Share* const share = shares_[number / kInShare].load(std::memory_order_acquire);
  if (!share) return nullptr;
  Chunk* const chunk = share->chunks[number % kInShare / kInChunk].load(std::memory_order_acquire);
  return chunk ? &(*chunk)[number % kInChunk] : nullptr;
}

std::size_t OperationTable::under_way() const {
  std::size_t count = 0;
  for (const std::atomic<Share*>& each : shares_) {
    const Share* const share = each.load(std::memory_order_acquire);
    if (!share) continue;
    for (const std::atomic<Chunk*>& known : share->chunks) {
      const Chunk* const chunk = known.load(std::memory_order_acquire);
      if (!chunk) break;
      for (const PortOperation& operation : *chunk)
        count += operation.holds.load(std::memory_order_relaxed) != 0 ? 1 : 0;
    }
  }
  return count;
}

}  // namespace aqueduct::conduit
