// Put and get.
#include <algorithm>
#include <cstring>

#include "base/spinning.hpp"
#include "conduit/ofi/ofi_conduit.hpp"

namespace aqueduct::conduit::ofi {
namespace {

// Where memory must be registered, less than that is copied instead.
constexpr std::size_t kLeastToPin = std::size_t{8} << 10;
}  // namespace

Post OfiConduit::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse,
                     Rma::Done done, void* operation) {
  const auto remote = reinterpret_cast<std::uintptr_t>(to);
  const auto local = reinterpret_cast<std::uintptr_t>(from);
  const bool is_copied = reuse == Reuse::kAtReturn && bytes <= large_.buffer_bytes() &&
                         bytes <= network_.properties().max_message_bytes;
  if (reuse == Reuse::kWhenDone || is_copied)
    return begin(target, false, remote, local, bytes, is_copied, nullptr, done, operation);
  std::atomic<bool> is_sent{false};
  if (begin(target, false, remote, local, bytes, false, &is_sent, done, operation) == Post::kRetry)
    return Post::kRetry;
  for (Spinning spinning; !is_sent.load(std::memory_order_acquire);) {
    if (poll(Scope::kReplies) == 0) spinning.pause();
  }
  return Post::kDone;
}

Post OfiConduit::get(RankId target, void* to, const void* from, std::size_t bytes, Rma::Done done,
                     void* operation) {
  return begin(target, true, reinterpret_cast<std::uintptr_t>(from), reinterpret_cast<std::uintptr_t>(to),
               bytes, false, nullptr, done, operation);
}

Post OfiConduit::begin(RankId target, bool is_get, std::uintptr_t remote, std::uintptr_t local,
                       std::size_t bytes, bool must_copy, std::atomic<bool>* is_sent, Rma::Done done,
                       void* operation) {
  const std::lock_guard guard(lock_);
  if (is_closed_) return Post::kRetry;
  Transfer& transfer = transfers_.take();
  transfer = {target, is_get, must_copy, remote, local, bytes, 0, done, operation, is_sent};
  if (!begin_part(transfer)) {
    transfers_.give_back(transfer);
    return Post::kRetry;
  }
  if (!advance(transfer)) unfinished_transfers_.push_back(&transfer);
  return Post::kDone;
}

// Begins parts until all have begun; false if something is lacking.
bool OfiConduit::advance(Transfer& transfer) {
  while (transfer.bytes != 0) {
    if (!begin_part(transfer)) return false;
  }
  return true;
}

bool OfiConduit::begin_part(Transfer& transfer) {
  const std::size_t most = std::min(transfer.bytes, network_.properties().max_message_bytes);
  TransferPart* const part = &parts_.take();
  part->transfer = &transfer;
  part->bounce = nullptr;
  part->copy_to = nullptr;
  part->pin.region = nullptr;
  LocalMemory memory;
  if (!find_local(transfer, most, *part, &memory)) {
    parts_.give_back(*part);
    return false;
  }
  const RemoteMemory remote = segments_.remote(transfer.target, transfer.remote);
  const Post post = transfer.is_get ? network_.read(transfer.target, memory, remote, *part)
                                    : network_.write(transfer.target, memory, remote, true, *part);
  if (post == Post::kRetry) {
    give_back_local(*part);
    parts_.give_back(*part);
    return false;
  }
  ++transfer.under_way;
  transfer.remote += memory.bytes;
  transfer.local += memory.bytes;
  transfer.bytes -= memory.bytes;
  return true;
}

// The memory itself, if that may be used; else a bounce buffer. How much of it: as much as possible.
bool OfiConduit::find_local(const Transfer& transfer, std::size_t most, TransferPart& part,
                            LocalMemory* memory) {
  *memory = {reinterpret_cast<void*>(transfer.local), most, nullptr};
  if (!transfer.must_copy) {
    if (!network_.properties().local_registration) return true;
    memory->registration = segments_.local(transfer.local, most);
    if (memory->registration) return true;
    if (firehose_ && most >= kLeastToPin) {
      const parts::Firehose::Pin pinned =
          firehose_->pin_some(transfer.local, most, &part.pin, &memory->bytes);
      if (pinned == parts::Firehose::Pin::kPinned) {
        memory->registration = reinterpret_cast<fid_mr*>(part.pin.region->handle);
        return true;
      }
      part.pin.region = nullptr;  // no room, or it may not be registered
    }
  }
  memory->bytes = std::min(most, large_.buffer_bytes());
  const bool is_small = memory->bytes <= small_.buffer_bytes();
  part.bounce = is_small ? small_.take(kSmallForMessages) : large_.take(large_for_messages_);
  if (!part.bounce) {
    receiver_.lacks(observe::Retry::kBuffers);
    return false;
  }
  part.bounce->is_finished = is_small;
  if (transfer.is_get) {
    part.copy_to = reinterpret_cast<void*>(transfer.local);
    part.bytes = memory->bytes;
  } else {
    std::memcpy(part.bounce->bytes, memory->address, memory->bytes);
  }
  *memory = part.bounce->part(memory->bytes);
  return true;
}

void OfiConduit::give_back_local(TransferPart& part) {
  if (part.bounce) (part.bounce->is_finished ? small_ : large_).give_back(part.bounce);
  if (part.pin.region) firehose_->release(&part.pin);
}

void OfiConduit::part_is_done(TransferPart& part) {
  if (part.copy_to) std::memcpy(part.copy_to, part.bounce->bytes, part.bytes);
  Transfer& transfer = *part.transfer;
  give_back_local(part);
  parts_.give_back(part);
  if (--transfer.under_way != 0 || transfer.bytes != 0) return;
  if (transfer.is_sent) transfer.is_sent->store(true, std::memory_order_release);
  transfer.done(transfer.operation);
  transfers_.give_back(transfer);
}

void OfiConduit::continue_transfers() {
  for (std::size_t tries = unfinished_transfers_.size(); tries != 0; --tries) {
    Transfer* const transfer = unfinished_transfers_.front();
    if (!advance(*transfer)) return;  // what is lacking is ours: the next ones lack it, too
    unfinished_transfers_.pop_front();
  }
}

parts::Firehose::Moved OfiConduit::move(std::span<parts::Firehose::Region> unpinned,
                                        parts::Firehose::Region& pin) {
  unpin(unpinned);
  int error = 0;
  fid_mr* const registration =
      network_.register_memory(reinterpret_cast<void*>(pin.base()), pin.bytes(), false, &error);
  if (!registration) return parts::Firehose::Moved::kFailed;
  pin.handle = reinterpret_cast<std::uint64_t>(registration);
  return parts::Firehose::Moved::kDone;
}

void OfiConduit::unpin(std::span<parts::Firehose::Region> regions) {
  for (const parts::Firehose::Region& region : regions)
    network_.close_registration(reinterpret_cast<fid_mr*>(region.handle));
}

}  // namespace aqueduct::conduit::ofi
