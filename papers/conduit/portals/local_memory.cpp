#include "papers/conduit/portals/local_memory.hpp"

#include <algorithm>

#include "base/fatal.hpp"

namespace aqueduct::conduit::portals {

LocalMemory::LocalMemory(InterfaceClient& interface, const PortalsSettings& settings,
                         parts::ChunkPool& chunks, ptl_handle_md_t chunks_md, void* handler)
    : interface_(interface),
      chunks_(chunks),
      chunks_md_(chunks_md),
      handler_(handler),
      temporaries_(settings.temporary_mds) {
  if (settings.stage != Stage::kFirehose) return;
  firehose_.emplace(static_cast<parts::Firehose::Client&>(*this),
                    parts::Firehose::Settings{kPage, settings.firehose_region_bytes,
                                              settings.firehose_regions, settings.firehose_bytes});
}

// The interface closes next and ends its descriptors.
LocalMemory::~LocalMemory() { closing_ = true; }

void LocalMemory::set_segment(const SegmentBounds& segment, ptl_handle_md_t md) {
  segment_ = segment;
  segment_md_ = md;
}

std::size_t LocalMemory::max_at_once(const PortalsSettings& settings) {
  // A range may begin and end inside a page.
  return settings.stage == Stage::kFirehose ? settings.firehose_region_bytes - kPage
                                            : std::size_t{PTL_MAX_TRANS_SZ};
}

Post LocalMemory::hold(const void* address, std::size_t bytes, Extent extent, std::size_t bounce_bytes,
                       HeldMemory* held) {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  held->bytes = std::min<std::size_t>(bytes, PTL_MAX_TRANS_SZ);
  if (segment_.contains(start, bytes)) {
    held->md = segment_md_;
    held->offset = start - segment_.base;
    return Post::kDone;
  }
  if (bytes <= bounce_bytes) {
    held->chunk = chunks_.take();
    if (held->chunk != parts::ChunkPool::kNone) {
      held_.fetch_add(1, std::memory_order_relaxed);
      held->md = chunks_md_;
      held->offset = held->chunk;
      return Post::kDone;
    }
  }
  if (firehose_) {
    const parts::Firehose::Pin pinned =
        extent == Extent::kWhole ? firehose_->pin(start, held->bytes, &held->pin)
                                 : firehose_->pin_some(start, held->bytes, &held->pin, &held->bytes);
    switch (pinned) {
      case parts::Firehose::Pin::kPinned:
        held_.fetch_add(1, std::memory_order_relaxed);
        held->md = static_cast<ptl_handle_md_t>(held->pin.region->handle);
        held->offset = start - held->pin.region->base();
        return Post::kDone;
      case parts::Firehose::Pin::kBusy:
      case parts::Firehose::Pin::kPending:
        return Post::kRetry;
      case parts::Firehose::Pin::kFailed:
        fatal("portals", "memory at %p (%zu bytes) cannot be registered", address, held->bytes);
    }
  }
  if (!temporaries_.try_take()) return Post::kRetry;
  if (!bind(address, held->bytes, &held->md)) {
    fatal("portals", "memory at %p (%zu bytes) cannot be registered", address, held->bytes);
  }
  held_.fetch_add(1, std::memory_order_relaxed);
  held->offset = 0;
  held->temporary = true;
  return Post::kDone;
}

void LocalMemory::release(HeldMemory& held) {
  if (held.chunk != parts::ChunkPool::kNone || held.pin.region || held.temporary)
    held_.fetch_sub(1, std::memory_order_relaxed);
  if (held.chunk != parts::ChunkPool::kNone) {
    chunks_.give_back(held.chunk);
  } else if (held.pin.region) {
    firehose_->release(&held.pin);
  } else if (held.temporary) {
    check(PtlMDUnlink(held.md), "PtlMDUnlink of a temporary descriptor");
    temporaries_.give_back();
  }
  held = HeldMemory{};
}

bool LocalMemory::bind(const void* address, std::size_t bytes, ptl_handle_md_t* md) {
  const ptl_md_t wanted = descriptor(const_cast<void*>(address), bytes, PTL_MD_OP_PUT | PTL_MD_OP_GET,
                                     handler_, interface_.safe.handle());
  return PtlMDBind(interface_.ni(), wanted, PTL_RETAIN, md) == PTL_OK;
}

parts::Firehose::Moved LocalMemory::move(std::span<parts::Firehose::Region> unpin_first,
                                         parts::Firehose::Region& pin) {
  unpin(unpin_first);
  ptl_handle_md_t md;
  if (!bind(reinterpret_cast<void*>(pin.base()), pin.bytes(), &md)) return parts::Firehose::Moved::kFailed;
  pin.handle = md;
  return parts::Firehose::Moved::kDone;
}

void LocalMemory::unpin(std::span<parts::Firehose::Region> regions) {
  if (closing_) return;
  for (const parts::Firehose::Region& region : regions) {
    check(PtlMDUnlink(static_cast<ptl_handle_md_t>(region.handle)), "PtlMDUnlink of a cached descriptor");
  }
}

}  // namespace aqueduct::conduit::portals
