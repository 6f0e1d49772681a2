#include "clients/caf/transfer.hpp"

#include <gasnet_vis.h>

#include <cstring>

#include "clients/caf/convert.hpp"
#include "clients/caf/error.hpp"
#include "clients/caf/pending.hpp"

namespace aqueduct::caf {
namespace {

char* address_in(gex_Rank_t rank, std::size_t offset) {
  return static_cast<char*>(owner_address(rank, offset));
}

/// The range of a section in a segment, for the list of puts under way.
struct Range {
  std::size_t low, high;
  Range(std::size_t offset, const Section& section) {
    std::ptrdiff_t least, most;
    section.bounds(least, most);
    low = offset + static_cast<std::size_t>(least);
    high = offset + static_cast<std::size_t>(most);
  }
};

void wait_for_overlapping(gex_Rank_t rank, const Range& range) {
  if (pending_puts.overlaps(rank, range.low, range.high)) pending_puts.complete();
}

/// The addresses of all elements, in order.
void** addresses(char* base, const Section& section, Scratch& scratch) {
  auto** const list = reinterpret_cast<void**>(scratch.take(section.count * sizeof(void*)));
  std::size_t done = 1;
  list[0] = base + section.first;
  for (int d = 0; d < section.rank; ++d) {
    const SectionDimension& dim = section.dim[d];
    // Backwards, because the first ones are what the others are made from.
    for (std::size_t i = dim.extent; i-- > 0;) {
      const std::ptrdiff_t step = dim.table ? dim.table[i] : static_cast<std::ptrdiff_t>(i) * dim.stride;
      for (std::size_t k = done; k-- > 0;) list[i * done + k] = static_cast<char*>(list[k]) + step;
    }
    done *= dim.extent;
  }
  return list;
}

/// What the strided calls of the library are told.
struct Strides {
  std::ptrdiff_t there[kMaxRank], here[kMaxRank];
  std::size_t count[kMaxRank];
  explicit Strides(const Section& section) {
    auto dense = static_cast<std::ptrdiff_t>(section.type.bytes);
    for (int d = 0; d < section.rank; ++d) {
      there[d] = section.dim[d].stride;
      here[d] = dense;
      count[d] = section.dim[d].extent;
      dense *= static_cast<std::ptrdiff_t>(section.dim[d].extent);
    }
  }
};

/// Puts packed elements, which stay where they are until complete_puts().
void put_packed(gex_Rank_t rank, std::size_t offset, const Section& target, char* packed) {
  char* const base = address_in(rank, offset);
  if (target.is_contiguous()) {
    gex_RMA_PutNBI(job.world, rank, base + target.first, packed, target.total_bytes(), GEX_EVENT_DEFER, 0);
  } else if (!target.has_tables()) {
    const Strides strides(target);
    gex_VIS_StridedPutNBI(job.world, rank, base + target.first, strides.there, packed, strides.here,
                          target.type.bytes, strides.count, static_cast<std::size_t>(target.rank), 0);
  } else {
    Scratch scratch;
    void** const list = addresses(base, target, scratch);
    void* const source = packed;
    gex_VIS_IndexedPutBlocking(job.world, rank, target.count, list, target.type.bytes, 1, &source,
                               target.total_bytes(), 0);
  }
}

void get_packed(char* packed, gex_Rank_t rank, std::size_t offset, const Section& source) {
  char* const base = address_in(rank, offset);
  if (source.is_contiguous()) {
    gex_RMA_GetBlocking(job.world, packed, rank, base + source.first, source.total_bytes(), 0);
  } else if (!source.has_tables()) {
    const Strides strides(source);
    gex_VIS_StridedGetBlocking(job.world, packed, strides.here, rank, base + source.first, strides.there,
                               source.type.bytes, strides.count, static_cast<std::size_t>(source.rank), 0);
  } else {
    Scratch scratch;
    void** const list = addresses(base, source, scratch);
    void* const target = packed;
    gex_VIS_IndexedGetBlocking(job.world, 1, &target, source.total_bytes(), rank, source.count, list,
                               source.type.bytes, 0);
  }
}

/// Converts `from` elements to those of `to`, one for each or the only one for all, into `out`.
void pack(char* out, const Section& to, const char* source, const Section& from, Scratch& scratch) {
  const Section* shape = &from;
  Section spread;
  const bool spreads = from.count == 1 && to.count != 1;
  if (from.type == to.type) {
    if (spreads) {
      spread = from;
      spread.spread_over(to);
      shape = &spread;
    }
    gather(out, source, *shape);
    return;
  }
  const char* raw = source + from.first;
  if (!from.is_contiguous()) {
    char* const gathered = scratch.take(from.total_bytes());
    gather(gathered, source, from);
    raw = gathered;
  }
  convert(out, to.type, raw, from.type, from.count);
  if (spreads)
    for (std::size_t i = 1; i < to.count; ++i) std::memcpy(out + i * to.type.bytes, out, to.type.bytes);
}

void need_enough(const Section& target, const Section& source) {
  if (source.count < target.count && source.count != 1)
    fatal("a transfer", "%zu elements are assigned to %zu", source.count, target.count);
}

template <class Word>
void put_aligned(gex_Rank_t rank, std::size_t offset, Word value) {
  if (char* const here = job.peers[rank].here) {
    __atomic_store_n(reinterpret_cast<Word*>(here + offset), value, __ATOMIC_RELEASE);
    return;
  }
  gex_RMA_PutNBI(job.world, rank, owner_address(rank, offset), &value, sizeof value, GEX_EVENT_NOW, 0);
  pending_puts.add(rank, offset, offset + sizeof value);
}

Section dense_section(const ElementType& type, std::size_t count) {
  Section dense;
  dense.type = type;
  dense.add(count, static_cast<std::ptrdiff_t>(type.bytes));
  return dense;
}

}  // namespace

void complete_puts() {
  if (pending_puts.any()) pending_puts.complete();
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

void put_section(gex_Rank_t rank, std::size_t offset, const Section& target, const char* source,
                 const Section& source_section, bool may_overlap) {
  if (target.count == 0) return;
  need_enough(target, source_section);
  if (source_section.count > target.count) {
    // Against the standard, but programs do it, and get the first elements.
    Scratch scratch;
    char* const all = scratch.take(source_section.total_bytes());
    gather(all, source, source_section);
    return put_section(rank, offset, target, all, dense_section(source_section.type, target.count), false);
  }
  const bool same_type = target.type == source_section.type;
  Scratch scratch;
  if (char* const here = job.peers[rank].here) {
    char* const to = here + offset;
    if (same_type && !(may_overlap && rank == job.rank)) {
      if (source_section.count == target.count) return copy_section(to, target, source, source_section);
      Section spread = source_section;
      spread.spread_over(target);
      return copy_section(to, target, source, spread);
    }
    char* const packed = scratch.take(target.total_bytes());
    pack(packed, target, source, source_section, scratch);
    return scatter(to, target, packed);
  }
  const Range range(offset, target);
  wait_for_overlapping(rank, range);
  if (same_type && target.is_contiguous() && source_section.is_contiguous() &&
      source_section.count == target.count) {
    gex_RMA_PutNBI(job.world, rank, address_in(rank, offset) + target.first, source + source_section.first,
                   target.total_bytes(), GEX_EVENT_NOW, 0);
  } else {
    char* const packed = pending_puts.take_copy(target.total_bytes());
    pack(packed, target, source, source_section, scratch);
    put_packed(rank, offset, target, packed);
  }
  pending_puts.add(rank, range.low, range.high);
}

void get_section(char* target, const Section& target_section, gex_Rank_t rank, std::size_t offset,
                 const Section& source, bool may_overlap) {
  if (target_section.count == 0) return;
  need_enough(target_section, source);
  if (source.count > target_section.count) {
    Scratch scratch;
    char* const all = scratch.take(source.total_bytes());
    get_section(all, dense_section(source.type, source.count), rank, offset, source, false);
    Scratch more;
    char* const packed = more.take(target_section.total_bytes());
    pack(packed, target_section, all, dense_section(source.type, target_section.count), scratch);
    return scatter(target, target_section, packed);
  }
  const bool same_type = target_section.type == source.type;
  Scratch scratch;
  const char* from = job.peers[rank].here;
  const Section* from_section = &source;
  Section raw_section;
  if (from) {
    from += offset;
    if (same_type && source.count == target_section.count && !(may_overlap && rank == job.rank))
      return copy_section(target, target_section, from, source);
  } else {
    wait_for_overlapping(rank, Range(offset, source));
    if (same_type && target_section.is_contiguous() && source.count == target_section.count)
      return get_packed(target + target_section.first, rank, offset, source);
    char* const raw = scratch.take(source.total_bytes());
    get_packed(raw, rank, offset, source);
    from = raw;
    raw_section = dense_section(source.type, source.count);
    from_section = &raw_section;
  }
  char* const packed = scratch.take(target_section.total_bytes());
  pack(packed, target_section, from, *from_section, scratch);
  scatter(target, target_section, packed);
}

void move_section(gex_Rank_t to, std::size_t to_offset, const Section& target, gex_Rank_t from,
                  std::size_t from_offset, const Section& source) {
  if (target.count == 0) return;
  Scratch scratch;
  char* const raw = scratch.take(source.total_bytes());
  const Section dense = dense_section(source.type, source.count);
  get_section(raw, dense, from, from_offset, source, false);
  put_section(to, to_offset, target, raw, dense, false);
}

void get_bytes(void* target, gex_Rank_t rank, std::size_t offset, std::size_t bytes) {
  if (const char* const here = job.peers[rank].here) {
    std::memcpy(target, here + offset, bytes);
    return;
  }
  if (pending_puts.overlaps(rank, offset, offset + bytes)) pending_puts.complete();
  gex_RMA_GetBlocking(job.world, target, rank, owner_address(rank, offset), bytes, 0);
}

void put_word(gex_Rank_t rank, std::size_t offset, std::uint64_t value) { put_aligned(rank, offset, value); }
void put_half_word(gex_Rank_t rank, std::size_t offset, std::uint32_t value) {
  put_aligned(rank, offset, value);
}

}  // namespace aqueduct::caf
