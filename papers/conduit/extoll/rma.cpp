#include "papers/conduit/extoll/rma.hpp"

#include <algorithm>
#include <cstring>

#include "world/work.hpp"

namespace aqueduct::conduit::extoll {
namespace {

constexpr std::size_t kImmediateBytes = 8;  // in a descriptor

}  // namespace

Post PutsAndGets::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                      void* operation) {
  if (target == endpoint_.self) {
    std::memmove(to, from, bytes);
    done(operation);
    return Post::kDone;
  }
  const SegmentKey key = endpoint_.segment_of(target);
  return transfers_.put({.target = target,
                         .remote = key.puts + (reinterpret_cast<std::uintptr_t>(to) - key.start),
                         .memory = key.puts,
                         .local = reinterpret_cast<std::uintptr_t>(from),
                         .bytes = bytes,
                         .done = done,
                         .operation = operation},
                        reuse == Reuse::kAtReturn, reuse.unreleased, endpoint_.lock, progress_);
}

Post PutsAndGets::get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                      void* operation) {
  if (target == endpoint_.self) {
    std::memmove(to, from, bytes);
    done(operation);
    return Post::kDone;
  }
  const SegmentKey key = endpoint_.segment_of(target);
  const std::lock_guard guard(endpoint_.lock);
  return transfers_.begin({.target = target,
                           .is_get = true,
                           .remote = key.puts + (reinterpret_cast<std::uintptr_t>(from) - key.start),
                           .memory = key.puts,
                           .local = reinterpret_cast<std::uintptr_t>(to),
                           .bytes = bytes,
                           .done = done,
                           .operation = operation});
}

bool PutsAndGets::begin_part(Transfer& transfer) {
  RmaCommand* const command = endpoint_.nic.take(*this, transfer.target);
  if (!command) {
    endpoint_.receiver.lacks(observe::Retry::kBuffers);
    return false;
  }
  command->owner = &transfer;
  if (transfer.is_get ? begin_get(transfer, *command) : begin_put(transfer, *command)) return true;
  endpoint_.release(*command);
  return false;
}

// From a descriptor or a bounce buffer the data have left at return. Registrations are held until the
// requester's notification says that it has read them.
bool PutsAndGets::begin_put(Transfer& transfer, RmaCommand& command) {
  std::size_t bytes = std::min(transfer.bytes, ExtollSettings::kMaxLong);
  PeerLine& line = endpoint_.line(transfer.target);
  const std::uint64_t offset = transfer.remote - transfer.memory;
  const auto* const from = reinterpret_cast<const void*>(transfer.local);
  if (bytes <= kImmediateBytes) {
    if (endpoint_.nic.put_immediate(line, command, from, bytes, transfer.remote, place_of(offset, bytes)) ==
        Post::kRetry)
      return false;
    transfer.part_begun(bytes);
    return true;
  }
  std::uintptr_t source = transfer.local;
  const bool is_known = endpoint_.local.is_known(source, bytes);
  bool has_left = false;
  if ((!is_known && bytes <= endpoint_.settings.bounce_bytes) ||
      !endpoint_.local.hold(source, false, command.held, &bytes)) {
    bytes = std::min(bytes, endpoint_.settings.bounce_bytes);
    std::byte* const buffer = endpoint_.local.take_bounce(command.held);
    if (!buffer) {
      endpoint_.receiver.lacks(observe::Retry::kBuffers);
      return false;
    }
    world::spend(world::kCopy, bytes);
    std::memcpy(buffer, from, bytes);
    source = reinterpret_cast<std::uintptr_t>(buffer);
    has_left = true;
  }
  const bool is_told = !has_left && (transfer.unreleased || !is_known);
  if (is_told && transfer.unreleased) transfer.unreleased->fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t place = place_of(offset, bytes);
  if (endpoint_.nic.put(line, command, command.held.handle.at(source), bytes, transfer.remote, is_told,
                        &place) == Post::kDone) {
    transfer.part_begun(bytes);
    return true;
  }
  if (is_told && transfer.unreleased) transfer.unreleased->fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool PutsAndGets::begin_get(Transfer& transfer, RmaCommand& command) {
  std::size_t bytes = std::min(transfer.bytes, ExtollSettings::kMaxLong);
  std::uintptr_t to = transfer.local;
  const bool is_known = endpoint_.local.is_known(to, bytes);
  if ((!is_known && bytes <= endpoint_.settings.bounce_bytes) ||
      !endpoint_.local.hold(to, false, command.held, &bytes)) {
    bytes = std::min(bytes, endpoint_.settings.bounce_bytes);
    std::byte* const buffer = endpoint_.local.take_bounce(command.held);
    if (!buffer) {
      endpoint_.receiver.lacks(observe::Retry::kBuffers);
      return false;
    }
    to = reinterpret_cast<std::uintptr_t>(buffer);
    command.copy_to = reinterpret_cast<void*>(transfer.local);
    command.copy_from = buffer;
    command.copy_bytes = bytes;
  }
  if (endpoint_.nic.get(endpoint_.line(transfer.target), command, command.held.handle.at(to), bytes,
                        transfer.remote) == Post::kRetry)
    return false;
  transfer.part_begun(bytes);
  return true;
}

void PutsAndGets::told(RmaCommand& command) {
  if (command.is_get) return;
  const Transfer& transfer = *static_cast<Transfer*>(command.owner);
  if (transfer.unreleased) transfer.unreleased->fetch_sub(1, std::memory_order_release);
}

void PutsAndGets::over(RmaCommand& command) {
  if (command.copy_to) {
    world::spend(world::kCopy, command.copy_bytes);
    std::memcpy(command.copy_to, command.copy_from, command.copy_bytes);
  }
  auto* const transfer = static_cast<Transfer*>(command.owner);
  endpoint_.release(command);
  transfers_.part_over(*transfer);
}

}  // namespace aqueduct::conduit::extoll
