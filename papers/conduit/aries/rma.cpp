#include "papers/conduit/aries/rma.hpp"

#include <algorithm>
#include <cstring>

#include "world/work.hpp"

namespace aqueduct::conduit::aries {
Post PutsAndGets::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                      void* operation) {
  if (target == endpoint_.self) {
    std::memmove(to, from, bytes);
    done(operation);
    return Post::kDone;
  }
  return transfers_.put({.target = target,
                         .remote = reinterpret_cast<std::uintptr_t>(to),
                         .memory = endpoint_.segment_of(target),
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
  const std::lock_guard guard(endpoint_.lock);
  return transfers_.begin({.target = target,
                           .is_get = true,
                           .remote = reinterpret_cast<std::uintptr_t>(from),
                           .memory = endpoint_.segment_of(target),
                           .local = reinterpret_cast<std::uintptr_t>(to),
                           .bytes = bytes,
                           .done = done,
                           .operation = operation});
}

bool PutsAndGets::begin_part(Transfer& transfer) {
  PostDescriptor* const descriptor = endpoint_.nic.take(*this, transfer.target);
  if (!descriptor) return false;
  descriptor->owner = &transfer;
  if (transfer.is_get ? begin_get(transfer, *descriptor) : begin_put(transfer, *descriptor)) return true;
  endpoint_.give_back(*descriptor);
  return false;
}

bool PutsAndGets::begin_put(Transfer& transfer, PostDescriptor& descriptor) {
  std::size_t bytes = transfer.bytes;
  gni_post_descriptor_t& post = descriptor.post;
  post.local_addr = transfer.local;
  bool has_left = bytes <= endpoint_.settings.put_fma_bytes;
  if (!has_left) {
    const bool is_copied =
        !endpoint_.segment.contains(transfer.local, bytes) && bytes <= endpoint_.settings.put_bounce_bytes;
    if (is_copied || !endpoint_.hold(transfer.local, false, descriptor, &bytes)) {
      bytes = std::min(bytes, std::max(endpoint_.settings.put_bounce_bytes, AriesSettings::kImmediateBytes));
      std::byte* const buffer = endpoint_.take_buffer(descriptor, bytes);
      if (!buffer) return false;
      world::spend(world::kCopy, bytes);
      std::memcpy(buffer, reinterpret_cast<const void*>(transfer.local), bytes);
      post.local_addr = reinterpret_cast<std::uint64_t>(buffer);
      has_left = true;
    }
  }
  const bool is_told = transfer.unreleased && !has_left;
  post.cq_mode = is_told ? GNI_CQMODE_DUAL_EVENTS : GNI_CQMODE_GLOBAL_EVENT;
  post.type = bytes <= endpoint_.settings.put_fma_bytes ? GNI_POST_FMA_PUT : GNI_POST_RDMA_PUT;
  post.remote_addr = transfer.remote;
  post.length = bytes;
  if (is_told) transfer.unreleased->fetch_add(1, std::memory_order_relaxed);
  if (post_part(transfer, descriptor, bytes)) return true;
  if (is_told) transfer.unreleased->fetch_sub(1, std::memory_order_relaxed);
  return false;
}

// Fetches whole words, directly to their destination if both sides have the same alignment; the ends, and
// everything else, through a buffer, with up to three more bytes at each end.
bool PutsAndGets::begin_get(Transfer& transfer, PostDescriptor& descriptor) {
  const std::uintptr_t before = transfer.remote % kWord;
  const bool is_alike = before == transfer.local % kWord;
  std::size_t bytes = transfer.bytes;
  gni_post_descriptor_t& post = descriptor.post;
  post.remote_addr = transfer.remote - before;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  const std::size_t whole = bytes - bytes % kWord;
  if (is_alike && before == 0 && whole != 0) {
    std::size_t held = whole;
    const bool is_ours = endpoint_.local.is_known(transfer.local, whole);
    if ((is_ours || whole > endpoint_.settings.get_bounce_bytes) &&
        endpoint_.hold(transfer.local, false, descriptor, &held) && (held -= held % kWord) != 0) {
      post.local_addr = transfer.local;
      post.length = held;
      post.type = held <= endpoint_.settings.get_fma_bytes ? GNI_POST_FMA_GET : GNI_POST_RDMA_GET;
      return post_part(transfer, descriptor, held);
    }
    endpoint_.local.release(descriptor.held);
  }
  const bool is_large = bytes > endpoint_.settings.get_bounce_bytes;
  if (is_alike && before != 0 && is_large) {
    bytes = kWord - before;  // the rest is aligned
  } else if (is_large) {
    bytes = endpoint_.settings.get_bounce_bytes - before;
    bytes -= (transfer.remote + bytes) % kWord;
  }
  const std::size_t fetched = round_up(before + bytes, kWord);
  std::byte* const buffer = endpoint_.take_buffer(descriptor, fetched);
  if (!buffer) return false;
  post.local_addr = reinterpret_cast<std::uint64_t>(buffer);
  post.length = fetched;
  post.type = fetched <= endpoint_.settings.get_fma_bytes ? GNI_POST_FMA_GET : GNI_POST_RDMA_GET;
  descriptor.copy_to = reinterpret_cast<void*>(transfer.local);
  descriptor.copy_from = buffer + before;
  descriptor.copy_bytes = bytes;
  return post_part(transfer, descriptor, bytes);
}

bool PutsAndGets::post_part(Transfer& transfer, PostDescriptor& descriptor, std::size_t bytes) {
  gni_post_descriptor_t& post = descriptor.post;
  post.dlvr_mode = endpoint_.settings.delivery;
  post.remote_mem_hndl = transfer.memory;
  const bool by_fma = post.type == GNI_POST_FMA_PUT || post.type == GNI_POST_FMA_GET;
  const Post posted = by_fma ? endpoint_.nic.post_fma(descriptor, "GNI_PostFma")
                             : endpoint_.nic.post_rdma(descriptor, "GNI_PostRdma");
  if (posted == Post::kRetry) return false;
  transfer.part_begun(bytes);
  return true;
}

PostDescriptor* PutsAndGets::begin_other(RankId target, Done done, void* operation) {
  PostDescriptor* const descriptor = endpoint_.nic.take(*this, target);
  if (!descriptor) return nullptr;
  Transfer& transfer = transfers_.take();
  transfer = {.target = target, .is_get = true, .under_way = 1, .done = done, .operation = operation};
  descriptor->owner = &transfer;
  return descriptor;
}

void PutsAndGets::withdraw_other(PostDescriptor& descriptor) {
  transfers_.give_back(*static_cast<Transfer*>(descriptor.owner));
  endpoint_.give_back(descriptor);
}

void PutsAndGets::completed(PostDescriptor& descriptor, std::uint16_t event) {
  Transfer& transfer = *static_cast<Transfer*>(descriptor.owner);
  if (event & GNI_CQMODE_LOCAL_EVENT) transfer.unreleased->fetch_sub(1, std::memory_order_release);
  if (descriptor.events != 0) return;
  if (descriptor.copy_to) {
    world::spend(world::kCopy, descriptor.copy_bytes);
    std::memcpy(descriptor.copy_to, descriptor.copy_from, descriptor.copy_bytes);
  }
  endpoint_.give_back(descriptor);
  transfers_.part_over(transfer);
}

}  // namespace aqueduct::conduit::aries
