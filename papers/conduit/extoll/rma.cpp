// Put and get: parts of a transfer, each one command of RMA.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "papers/conduit/extoll/extoll_conduit.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::extoll {
namespace {

constexpr std::size_t kImmediateBytes = 8;  // that a descriptor carries

}  // namespace

ExtollConduit::SegmentKey ExtollConduit::segment_of(RankId rank) const {
  const job::Bytes bytes = keys_[rank];
  SegmentKey key;
  if (bytes.size() != sizeof key) fatal(kName, "rank %u has not said how its segment is reached", rank);
  std::memcpy(&key, bytes.data(), sizeof key);
  return key;
}

Post ExtollConduit::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse,
                        Rma::Done done, void* operation) {
  if (target == self_) {
    std::memmove(to, from, bytes);
    done(operation);
    return Post::kDone;
  }
  const SegmentKey key = segment_of(target);
  return transfers_.put({.target = target,
                         .remote = key.puts + (reinterpret_cast<std::uintptr_t>(to) - key.start),
                         .memory = key.puts,
                         .local = reinterpret_cast<std::uintptr_t>(from),
                         .bytes = bytes,
                         .done = done,
                         .operation = operation},
                        reuse == Reuse::kAtReturn, reuse.unreleased, lock_, [this] { progress(); });
}

Post ExtollConduit::get(RankId target, void* to, const void* from, std::size_t bytes, Rma::Done done,
                        void* operation) {
  if (target == self_) {
    std::memmove(to, from, bytes);
    done(operation);
    return Post::kDone;
  }
  const SegmentKey key = segment_of(target);
  const std::lock_guard guard(lock_);
  return transfers_.begin({.target = target,
                           .is_get = true,
                           .remote = key.puts + (reinterpret_cast<std::uintptr_t>(from) - key.start),
                           .memory = key.puts,
                           .local = reinterpret_cast<std::uintptr_t>(to),
                           .bytes = bytes,
                           .done = done,
                           .operation = operation});
}

bool ExtollConduit::begin_part(Transfer& transfer) {
  Command* const command = nic_.take(Use::kTransfer, transfer.target);
  if (!command) {
    receiver_.lacks(observe::Retry::kBuffers);
    return false;
  }
  command->owner = &transfer;
  if (transfer.is_get ? begin_get(transfer, *command) : begin_put(transfer, *command)) return true;
  release(*command);
  return false;
}

// From a descriptor or a bounce buffer the data have left at return. Registrations are held until the
// requester has said that it has read them.
bool ExtollConduit::begin_put(Transfer& transfer, Command& command) {
  std::size_t bytes = std::min(transfer.bytes, Settings::kMaxLong);
  Line& line = peer(transfer.target).line;
  const std::uint64_t offset = transfer.remote - transfer.memory;
  const auto* const from = reinterpret_cast<const void*>(transfer.local);
  if (bytes <= kImmediateBytes) {
    if (nic_.put_immediate(line, command, from, bytes, transfer.remote, place_of(offset, bytes)) ==
        Post::kRetry)
      return false;
    transfer.part_begun(bytes);
    return true;
  }
  std::uintptr_t source = transfer.local;
  const bool is_known = local_.is_known(source, bytes);
  bool has_left = false;
  if ((!is_known && bytes <= settings_.bounce_bytes) || !local_.hold(source, false, command.held, &bytes)) {
    bytes = std::min(bytes, settings_.bounce_bytes);
    std::byte* const buffer = local_.take_bounce(command.held);
    if (!buffer) {
      receiver_.lacks(observe::Retry::kBuffers);
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
  if (nic_.put(line, command, command.held.handle.at(source), bytes, transfer.remote, is_told, &place) ==
      Post::kDone) {
    transfer.part_begun(bytes);
    return true;
  }
  if (is_told && transfer.unreleased) transfer.unreleased->fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool ExtollConduit::begin_get(Transfer& transfer, Command& command) {
  std::size_t bytes = std::min(transfer.bytes, Settings::kMaxLong);
  std::uintptr_t to = transfer.local;
  const bool is_known = local_.is_known(to, bytes);
  if ((!is_known && bytes <= settings_.bounce_bytes) || !local_.hold(to, false, command.held, &bytes)) {
    bytes = std::min(bytes, settings_.bounce_bytes);
    std::byte* const buffer = local_.take_bounce(command.held);
    if (!buffer) {
      receiver_.lacks(observe::Retry::kBuffers);
      return false;
    }
    to = reinterpret_cast<std::uintptr_t>(buffer);
    command.copy_to = reinterpret_cast<void*>(transfer.local);
    command.copy_from = buffer;
    command.copy_bytes = bytes;
  }
  if (nic_.get(peer(transfer.target).line, command, command.held.handle.at(to), bytes, transfer.remote) ==
      Post::kRetry)
    return false;
  transfer.part_begun(bytes);
  return true;
}

// A notification of ours: a put's data have been read, or a get's are here.
void ExtollConduit::command_told(Command& command) {
  if (command.use == Use::kProbe) return answered(command.probe);
  if (command.use == Use::kLongPayload) {
    if (command.owner) long_->put_left(*static_cast<parts::LongSend*>(command.owner));
  } else if (!command.is_get) {
    const Transfer& transfer = *static_cast<Transfer*>(command.owner);
    if (transfer.unreleased) transfer.unreleased->fetch_sub(1, std::memory_order_release);
  }
  if (command.is_over()) command_over(command);
}

void ExtollConduit::command_landed(Command& command) {
  // It is finished now, and may be another message.
  if (command.use == Use::kLongPayload)
    long_->put_landed(*static_cast<parts::LongSend*>(std::exchange(command.owner, nullptr)));
  if (command.is_over()) command_over(command);
}

void ExtollConduit::command_over(Command& command) {
  if (command.copy_to) {
    world::spend(world::kCopy, command.copy_bytes);
    std::memcpy(command.copy_to, command.copy_from, command.copy_bytes);
  }
  auto* const transfer = command.use == Use::kTransfer ? static_cast<Transfer*>(command.owner) : nullptr;
  release(command);
  if (transfer) transfers_.part_over(*transfer);
}

}  // namespace aqueduct::conduit::extoll
