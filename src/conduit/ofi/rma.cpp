#include "conduit/ofi/rma.hpp"

#include <algorithm>
#include <cstring>

namespace aqueduct::conduit::ofi {
namespace {

constexpr std::size_t kMostCopiedUnasked = 1024;

}  // namespace

Post PutsAndGets::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                      void* operation) {
  {
    const std::lock_guard guard(endpoint_.lock);
    if (endpoint_.is_closed) return Post::kRetry;
    if (small_.takes(target, bytes)) return small_.put(target, to, from, bytes, done, operation);
  }
  return transfers_.put({.target = target,
                         .remote = reinterpret_cast<std::uintptr_t>(to),
                         .local = reinterpret_cast<std::uintptr_t>(from),
                         .bytes = bytes,
                         .done = done,
                         .operation = operation},
                        reuse == Reuse::kAtReturn, reuse.unreleased, endpoint_.lock, serve_);
}

Post PutsAndGets::get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                      void* operation) {
  const std::lock_guard guard(endpoint_.lock);
  if (endpoint_.is_closed) return Post::kRetry;
  if (small_.takes(target, bytes)) return small_.get(target, to, from, bytes, done, operation);
  return transfers_.begin({.target = target,
                           .is_get = true,
                           .remote = reinterpret_cast<std::uintptr_t>(from),
                           .local = reinterpret_cast<std::uintptr_t>(to),
                           .bytes = bytes,
                           .done = done,
                           .operation = operation});
}

namespace {

Transfer between(RankId target, const DeviceLocal& local, const DeviceRemote& remote, std::size_t bytes,
                 Rma::Done done, void* operation) {
  return {.target = target,
          .remote = reinterpret_cast<std::uintptr_t>(remote.address),
          .memory = {.local = static_cast<fid_mr*>(local.added),
                     .has_key = remote.key.is_there != 0,
                     .shift = remote.key.shift,
                     .key = remote.key.key},
          .local = reinterpret_cast<std::uintptr_t>(local.address),
          .bytes = bytes,
          .done = done,
          .operation = operation};
}

}  // namespace

Post PutsAndGets::put(RankId target, const DeviceRemote& to, const DeviceLocal& from, std::size_t bytes,
                      am::Unreleased* unreleased, Done done, void* operation) {
  Transfer transfer = between(target, from, to, bytes, done, operation);
  transfer.unreleased = unreleased;
  const std::lock_guard guard(endpoint_.lock);
  return endpoint_.is_closed ? Post::kRetry : transfers_.begin(transfer);
}

Post PutsAndGets::get(RankId target, const DeviceLocal& to, const DeviceRemote& from, std::size_t bytes,
                      Done done, void* operation) {
  Transfer transfer = between(target, to, from, bytes, done, operation);
  transfer.is_get = true;
  const std::lock_guard guard(endpoint_.lock);
  return endpoint_.is_closed ? Post::kRetry : transfers_.begin(transfer);
}

bool PutsAndGets::begin_part(Transfer& transfer) {
  if (endpoint_.is_closed) return false;
  Part& part = parts_.take();
  part.handler = this;
  part.transfer = &transfer;
  part.unreleased = nullptr;
  part.bounce = nullptr;
  part.copy_to = nullptr;
  part.pin.region = nullptr;
  LocalMemory memory;
  if (!find_local(transfer, part, &memory)) {
    parts_.give_back(part);
    return false;
  }
  if (!part.bounce && transfer.unreleased) {
    part.unreleased = transfer.unreleased;
    part.unreleased->fetch_add(1, std::memory_order_relaxed);
  }
  const RemoteMemory remote = transfer.memory.has_key
                                  ? RemoteMemory{transfer.remote + transfer.memory.shift, transfer.memory.key}
                                  : endpoint_.segments.remote(transfer.target, transfer.remote);
  const Post post = transfer.is_get ? endpoint_.network.read(transfer.target, memory, remote, part)
                                    : endpoint_.network.write(transfer.target, memory, remote, true, part);
  if (post == Post::kRetry) {
    give_back(part);
    return false;
  }
  small_.count_by_provider(transfer.target, 1);
  transfer.part_begun(memory.bytes);
  return true;
}

// The memory itself, if that may be used; else a bounce buffer. How much of it: as much as possible. A source
// that a call waits for is copied if it is not too large. One that is counted is copied only if it is small:
// its client has time, and a copy to a buffer that no cache holds takes as long as sending it.
bool PutsAndGets::find_local(const Transfer& transfer, Part& part, LocalMemory* memory) {
  const std::size_t most = std::min(transfer.bytes, endpoint_.properties().max_message_bytes);
  if (transfer.memory.local) {  // the host cannot copy it
    *memory = {reinterpret_cast<void*>(transfer.local), most, transfer.memory.local, true};
    return true;
  }
  const std::size_t most_copied =
      transfer.is_waited_for ? endpoint_.sends.large.buffer_bytes() : kMostCopiedUnasked;
  const bool is_copied = transfer.unreleased && most == transfer.bytes && most <= most_copied;
  *memory = {reinterpret_cast<void*>(transfer.local), most, nullptr};
  if (!is_copied) {
    if (!endpoint_.properties().local_registration) return true;
    memory->registration = endpoint_.segments.local(transfer.local, most);
    if (memory->registration || pinned_.pin(memory, &part.pin)) return true;
  }
  memory->bytes = std::min(most, endpoint_.sends.large.buffer_bytes());
  part.bounce = endpoint_.sends.take_bounce(memory->bytes);
  if (!part.bounce) {
    endpoint_.receiver.lacks(observe::Retry::kBuffers);
    return false;
  }
  if (transfer.is_get) {
    part.copy_to = reinterpret_cast<void*>(transfer.local);
    part.bytes = memory->bytes;
  } else {
    std::memcpy(part.bounce->bytes, memory->address, memory->bytes);
  }
  *memory = part.bounce->part(memory->bytes);
  return true;
}

void PutsAndGets::give_back(Part& part) {
  if (part.unreleased) part.unreleased->fetch_sub(1, std::memory_order_release);
  if (part.bounce) part.bounce->give_back();
  pinned_.release(&part.pin);
  parts_.give_back(part);
}

void PutsAndGets::completed(Operation& operation, const Completion&) {
  auto& part = static_cast<Part&>(operation);
  if (part.copy_to) std::memcpy(part.copy_to, part.bounce->bytes, part.bytes);
  Transfer& transfer = *part.transfer;
  give_back(part);
  small_.count_by_provider(transfer.target, -1);
  transfers_.part_over(transfer);
}

}  // namespace aqueduct::conduit::ofi
