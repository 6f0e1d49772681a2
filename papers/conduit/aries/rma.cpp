// Put and get: parts of a transfer, each one post.
#include <algorithm>
#include <cstring>

#include "papers/conduit/aries/aries_conduit.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::aries {
Post AriesConduit::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse,
                       Rma::Done done, void* operation) {
  if (target == self_) {
    std::memmove(to, from, bytes);
    done(operation);
    return Post::kDone;
  }
  return transfers_.put({.target = target,
                         .remote = reinterpret_cast<std::uintptr_t>(to),
                         .memory = segment_of(target),
                         .local = reinterpret_cast<std::uintptr_t>(from),
                         .bytes = bytes,
                         .done = done,
                         .operation = operation},
                        reuse == Reuse::kAtReturn, reuse.unreleased, lock_, [this] { progress(); });
}

Post AriesConduit::get(RankId target, void* to, const void* from, std::size_t bytes, Rma::Done done,
                       void* operation) {
  if (target == self_) {
    std::memmove(to, from, bytes);
    done(operation);
    return Post::kDone;
  }
  const std::lock_guard guard(lock_);
  return transfers_.begin({.target = target,
                           .is_get = true,
                           .remote = reinterpret_cast<std::uintptr_t>(from),
                           .memory = segment_of(target),
                           .local = reinterpret_cast<std::uintptr_t>(to),
                           .bytes = bytes,
                           .done = done,
                           .operation = operation});
}

bool AriesConduit::begin_part(Transfer& transfer) {
  Descriptor* const descriptor = nic_.take(Use::kTransfer, transfer.target);
  if (!descriptor) return false;
  descriptor->owner = &transfer;
  if (transfer.is_get ? begin_get(transfer, *descriptor) : begin_put(transfer, *descriptor)) return true;
  give_back(*descriptor);
  return false;
}

bool AriesConduit::begin_put(Transfer& transfer, Descriptor& descriptor) {
  std::size_t bytes = transfer.bytes;
  gni_post_descriptor_t& post = descriptor.post;
  post.local_addr = transfer.local;
  bool has_left = bytes <= settings_.put_fma_bytes;
  if (!has_left) {
    const bool is_copied = !segment_.contains(transfer.local, bytes) && bytes <= settings_.put_bounce_bytes;
    if (is_copied || !hold(transfer.local, false, descriptor, &bytes)) {
      bytes = std::min(bytes, std::max(settings_.put_bounce_bytes, Settings::kImmediateBytes));
      std::byte* const buffer = take_buffer(descriptor, bytes);
      if (!buffer) return false;
      world::spend(world::kCopy, bytes);
      std::memcpy(buffer, reinterpret_cast<const void*>(transfer.local), bytes);
      post.local_addr = reinterpret_cast<std::uint64_t>(buffer);
      has_left = true;
    }
  }
  const bool is_told = transfer.unreleased && !has_left;
  post.cq_mode = is_told ? GNI_CQMODE_DUAL_EVENTS : GNI_CQMODE_GLOBAL_EVENT;
  post.type = bytes <= settings_.put_fma_bytes ? GNI_POST_FMA_PUT : GNI_POST_RDMA_PUT;
  post.remote_addr = transfer.remote;
  post.length = bytes;
  if (is_told) transfer.unreleased->fetch_add(1, std::memory_order_relaxed);
  if (post_part(transfer, descriptor, bytes)) return true;
  if (is_told) transfer.unreleased->fetch_sub(1, std::memory_order_relaxed);
  return false;
}

// Whole words are fetched, straight to their destination where both sides are aligned alike; what is left
// over at the ends, and everything else, by way of a buffer, with up to three bytes more at each end.
bool AriesConduit::begin_get(Transfer& transfer, Descriptor& descriptor) {
  const std::uintptr_t before = transfer.remote % kWord;
  const bool is_alike = before == transfer.local % kWord;
  std::size_t bytes = transfer.bytes;
  gni_post_descriptor_t& post = descriptor.post;
  post.remote_addr = transfer.remote - before;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  const std::size_t whole = bytes - bytes % kWord;
  if (is_alike && before == 0 && whole != 0) {
    std::size_t held = whole;
    const bool is_ours = local_.is_known(transfer.local, whole);
    if ((is_ours || whole > settings_.get_bounce_bytes) && hold(transfer.local, false, descriptor, &held) &&
        (held -= held % kWord) != 0) {
      post.local_addr = transfer.local;
      post.length = held;
      post.type = held <= settings_.get_fma_bytes ? GNI_POST_FMA_GET : GNI_POST_RDMA_GET;
      return post_part(transfer, descriptor, held);
    }
    local_.release(descriptor.held);
  }
  const bool is_large = bytes > settings_.get_bounce_bytes;
  if (is_alike && before != 0 && is_large) {
    bytes = kWord - before;  // what follows is aligned
  } else if (is_large) {
    bytes = settings_.get_bounce_bytes - before;
    bytes -= (transfer.remote + bytes) % kWord;
  }
  const std::size_t fetched = round_up(before + bytes, kWord);
  std::byte* const buffer = take_buffer(descriptor, fetched);
  if (!buffer) return false;
  post.local_addr = reinterpret_cast<std::uint64_t>(buffer);
  post.length = fetched;
  post.type = fetched <= settings_.get_fma_bytes ? GNI_POST_FMA_GET : GNI_POST_RDMA_GET;
  descriptor.copy_to = reinterpret_cast<void*>(transfer.local);
  descriptor.copy_from = buffer + before;
  descriptor.copy_bytes = bytes;
  return post_part(transfer, descriptor, bytes);
}

bool AriesConduit::post_part(Transfer& transfer, Descriptor& descriptor, std::size_t bytes) {
  gni_post_descriptor_t& post = descriptor.post;
  post.dlvr_mode = settings_.delivery;
  post.remote_mem_hndl = transfer.memory;
  const bool by_fma = post.type == GNI_POST_FMA_PUT || post.type == GNI_POST_FMA_GET;
  const Post posted =
      by_fma ? nic_.post_fma(descriptor, "GNI_PostFma") : nic_.post_rdma(descriptor, "GNI_PostRdma");
  if (posted == Post::kRetry) return false;
  transfer.part_begun(bytes);
  return true;
}

void AriesConduit::part_event(Descriptor& descriptor, std::uint16_t event) {
  Transfer& transfer = *static_cast<Transfer*>(descriptor.owner);
  if (event & GNI_CQMODE_LOCAL_EVENT) transfer.unreleased->fetch_sub(1, std::memory_order_release);
  if (descriptor.events != 0) return;
  if (descriptor.copy_to) {
    world::spend(world::kCopy, descriptor.copy_bytes);
    std::memcpy(descriptor.copy_to, descriptor.copy_from, descriptor.copy_bytes);
  }
  give_back(descriptor);
  transfers_.part_over(transfer);
}

}  // namespace aqueduct::conduit::aries
