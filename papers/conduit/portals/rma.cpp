#include "papers/conduit/portals/rma.hpp"

#include <cstring>

#include "world/work.hpp"

namespace aqueduct::conduit::portals {

Post PutsAndGets::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                      void* operation) {
  const auto remote = reinterpret_cast<std::uintptr_t>(to);
  const auto local = reinterpret_cast<std::uintptr_t>(from);
  if (reuse == Reuse::kWhenDone) return begin(target, false, remote, local, bytes, nullptr, done, operation);
  if (reuse.unreleased) return begin(target, false, remote, local, bytes, reuse.unreleased, done, operation);
  std::atomic<std::uint32_t> unsent{1};
  if (begin(target, false, remote, local, bytes, &unsent, done, operation) == Post::kRetry)
    return Post::kRetry;
  unsent.fetch_sub(1, std::memory_order_relaxed);
  // This waits for local resources, which SAFE_EQ frees, or for memory of the target, which lends it by
  // SYS_EQ even while it waits here itself.
  for (Spinning spinning; unsent.load(std::memory_order_acquire) != 0;) serve(spinning);
  return Post::kDone;
}

Post PutsAndGets::get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                      void* operation) {
  return begin(target, true, reinterpret_cast<std::uintptr_t>(from), reinterpret_cast<std::uintptr_t>(to),
               bytes, nullptr, done, operation);
}

Post PutsAndGets::begin(RankId target, bool is_get, std::uintptr_t remote, std::uintptr_t local,
                        std::size_t bytes, std::atomic<std::uint32_t>* unsent, Done done, void* operation) {
  if (target == port_.self() && !port_.segments[target].contains(remote, bytes)) {
    void* const here = reinterpret_cast<void*>(remote);
    void* const there = reinterpret_cast<void*>(local);
    std::memmove(is_get ? there : here, is_get ? here : there, bytes);
    done(operation);
    return Post::kDone;
  }
  std::uint32_t name;
  PutOrGet& transfer = transfers_.create(&name);
  transfer = {target, is_get, remote, local, bytes, 1, unsent, done, operation, name, {}};
  // A transfer that has asked the target for memory counts as begun.
  if (begin_part(transfer) != Begun::kYes && RemoteMemory::is_idle(transfer.pin)) {
    transfers_.retire(name);
    return Post::kRetry;
  }
  // The caller waits until its memory is free, so parts that have not begun must count as unsent.
  if (transfer.bytes != 0 && unsent) unsent->fetch_add(1, std::memory_order_relaxed);
  if (advance(transfer) != Begun::kYes) {
    const std::lock_guard guard(unfinished_lock_);
    unfinished_.push_back(name);
    unfinished_count_.fetch_add(1, std::memory_order_relaxed);
  }
  return Post::kDone;
}

void PutsAndGets::serve(Spinning& spinning) {
  unsigned found = port_.poll_safe();
  if (remote_) found += control_.poll();
  poll();
  found != 0 ? spinning.restart() : spinning.pause();
}

// Begins parts until all have begun, or until a resource is missing: then call it again.
PutsAndGets::Begun PutsAndGets::advance(PutOrGet& transfer) {
  const bool was_waiting = transfer.bytes != 0;
  while (transfer.bytes != 0) {
    if (const Begun begun = begin_part(transfer); begun != Begun::kYes) return begun;
  }
  if (was_waiting && transfer.unsent) transfer.unsent->fetch_sub(1, std::memory_order_release);
  count_down(transfer);
  return Begun::kYes;
}

PutsAndGets::Begun PutsAndGets::begin_part(PutOrGet& transfer) {
  const bool is_lent = !port_.segments[transfer.target].contains(transfer.remote, transfer.bytes);
  if (is_lent && !remote_->borrow(transfer.target, transfer.is_get ? Access::kRead : Access::kWrite,
                                  transfer.remote, transfer.bytes, &transfer.pin)) {
    port_.receiver.lacks(observe::Retry::kMemory);
    return Begun::kWaits;
  }
  if (!port_.tokens.try_take()) {
    port_.receiver.lacks(observe::Retry::kBuffers);
    return Begun::kLacks;
  }
  std::uint32_t name;
  PortalsOperation& part = operations_.create(&name);
  const void* local = reinterpret_cast<void*>(transfer.local);
  const std::size_t bounce =
      transfer.is_get ? port_.settings.get_bounce_bytes : port_.settings.put_bounce_bytes;
  const std::size_t most = is_lent ? transfer.pin.bytes : transfer.bytes;
  if (operations_.local().hold(local, most, LocalMemory::Extent::kPart, bounce, &part.held) == Post::kRetry) {
    operations_.withdraw(name);
    port_.tokens.give_back();
    port_.receiver.lacks(observe::Retry::kMemory);
    return Begun::kLacks;
  }
  std::uintptr_t base = port_.segments[transfer.target].base;
  LoanBits where;
  if (is_lent) {
    part.borrowed = RemoteMemory::take(&transfer.pin);
    base = part.borrowed.region->base();
    where = {Selector::kLent, static_cast<std::uint32_t>(part.borrowed.region->handle)};
  }
  const bool bounces = part.held.chunk != parts::ChunkPool::kNone;
  const std::size_t bytes = part.held.bytes;
  const std::uintptr_t remote = transfer.remote;
  part.client = this;
  part.owner = &transfer;
  std::atomic_ref(part.awaited_peer).store(transfer.target + 1, std::memory_order_relaxed);
  part.events = transfer.is_get ? 1 : 2;  // the reply; or the end of sending and the acknowledgement
  if (bounces && transfer.is_get) part.destination = reinterpret_cast<void*>(transfer.local);
  if (bounces && !transfer.is_get) {
    world::spend(world::kCopy, bytes);
    std::memcpy(port_.request_chunks.at(part.held.chunk), local, bytes);
  }
  if (!bounces && !transfer.is_get && transfer.unsent) {
    part.unsent = transfer.unsent;
    part.unsent->fetch_add(1, std::memory_order_relaxed);
  }
  std::atomic_ref(transfer.parts).fetch_add(1, std::memory_order_relaxed);
  transfer.remote += bytes;
  transfer.local += bytes;
  transfer.bytes -= bytes;

  const std::size_t remote_offset = remote - base;
  const ptl_process_id_t process = port_.interface.process(transfer.target);
  const Type type = transfer.is_get ? Type::kGet : Type::kPut;
  const ptl_match_bits_t bits = TransferBits{type, name, where}.encode();
  const ptl_handle_md_t md = part.held.md;
  const std::size_t offset = part.held.offset;
  // After this the part may be over, and the transfer with it.
  if (type == Type::kGet) {
    check(PtlGetRegion(md, offset, bytes, process, kRarEntry, kAccess, bits, remote_offset), "PtlGetRegion");
  } else {
    check(PtlPutRegion(md, offset, bytes, PTL_ACK_REQ, process, kRarEntry, kAccess, bits, remote_offset, 0),
          "PtlPutRegion");
  }
  return Begun::kYes;
}

// Continues each waiting transfer once; stops if a local resource is missing, which the next ones need as
// well.
void PutsAndGets::continue_transfers() {
  for (unsigned left = unfinished_count_.load(std::memory_order_relaxed); left != 0; --left) {
    std::uint32_t name;
    {
      const std::lock_guard guard(unfinished_lock_);
      if (unfinished_.empty()) return;
      name = unfinished_.front();
      unfinished_.pop_front();
      unfinished_count_.fetch_sub(1, std::memory_order_relaxed);
    }
    PutOrGet* transfer = transfers_.find(name);
    const Begun begun = transfer ? advance(*transfer) : Begun::kYes;
    if (begun == Begun::kYes) continue;
    const std::lock_guard guard(unfinished_lock_);
    begun == Begun::kWaits ? unfinished_.push_back(name) : unfinished_.push_front(name);
    unfinished_count_.fetch_add(1, std::memory_order_relaxed);
    if (begun == Begun::kLacks) return;
  }
}

void PutsAndGets::count_down(PutOrGet& transfer) {
  if (std::atomic_ref(transfer.parts).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const Done done = transfer.done;
  void* const operation = transfer.operation;
  transfers_.retire(transfer.name);
  done(operation);
}

}  // namespace aqueduct::conduit::portals
