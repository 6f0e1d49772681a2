#include "papers/nic/portals3/descriptor.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace aqueduct::portals3 {
namespace {

bool possible(const void* base, std::uint64_t bytes) {
  if (bytes == 0) return true;
  return base != nullptr && reinterpret_cast<std::uintptr_t>(base) <= UINTPTR_MAX - (bytes - 1);
}

}  // namespace

int Region::assign(const ptl_md_t& md, std::uint64_t max_pieces) {
  if ((md.options & PTL_MD_IOVEC) == 0) {
    if (!possible(md.start, md.length)) return PTL_MD_ILLEGAL;
    one_ = {md.start, md.length};
    count_ = 1;
    bytes_ = md.length;
    return PTL_OK;
  }
  if (md.length > max_pieces || !possible(md.start, md.length * sizeof(ptl_md_iovec_t)))
    return PTL_MD_ILLEGAL;
  const auto* given = static_cast<const ptl_md_iovec_t*>(md.start);
  std::uint64_t bytes = 0;
  for (ptl_size_t i = 0; i < md.length; ++i) {
    if (!possible(given[i].iov_base, given[i].iov_len)) return PTL_MD_ILLEGAL;
    if (__builtin_add_overflow(bytes, given[i].iov_len, &bytes)) return PTL_MD_ILLEGAL;
  }
  list_.reset(new (std::nothrow) Piece[md.length + 1]);
  if (list_ == nullptr) return PTL_NO_SPACE;
  for (ptl_size_t i = 0; i < md.length; ++i) list_[i] = {given[i].iov_base, given[i].iov_len};
  count_ = md.length;
  bytes_ = bytes;
  return PTL_OK;
}

bool Region::same_as(const Region& other) const {
  return std::ranges::equal(pieces(), other.pieces(), [](const Piece& a, const Piece& b) {
    return a.base == b.base && a.bytes == b.bytes;
  });
}

void Descriptor::begin(const ptl_md_t& md, Region&& memory_region, EventQueue* event_queue) {
  user = md;
  region = std::move(memory_region);
  active = md.threshold == PTL_MD_THRESH_INF || md.threshold > 0;
  local_offset = 0;
  queue = event_queue;
}

Acceptance Descriptor::examine(unsigned operations, std::uint64_t remote_offset, std::uint64_t bytes) const {
  if (!active || (user.options & operations) != operations) return {};
  const std::uint64_t offset = has(PTL_MD_MANAGE_REMOTE) ? remote_offset : local_offset;
  if (offset > region.bytes()) return {};
  const std::uint64_t room = region.bytes() - offset;
  if (bytes <= room) return {true, offset, bytes};
  if (has(PTL_MD_TRUNCATE)) return {true, offset, room};
  return {};
}

void Descriptor::accept(const Acceptance& acceptance) {
  consume();
  if (has(PTL_MD_MANAGE_REMOTE)) return;
  local_offset += acceptance.bytes;
  if (has(PTL_MD_MAX_SIZE) && region.bytes() - local_offset < user.max_size) active = false;
}

void Descriptor::consume() {
  if (user.threshold == PTL_MD_THRESH_INF) return;
  if (--user.threshold == 0) active = false;
}

}  // namespace aqueduct::portals3
