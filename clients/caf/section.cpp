#include "clients/caf/section.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "clients/caf/error.hpp"

namespace aqueduct::caf {
namespace {

std::ptrdiff_t index_at(const void* indices, int kind, std::size_t i) {
  switch (kind) {
    case 1:
      return static_cast<const std::int8_t*>(indices)[i];
    case 2:
      return static_cast<const std::int16_t*>(indices)[i];
    case 4:
      return static_cast<const std::int32_t*>(indices)[i];
    case 8:
      return static_cast<const std::int64_t*>(indices)[i];
    case 16:
      return static_cast<std::ptrdiff_t>(static_cast<const __int128*>(indices)[i]);
    default:
      fatal("a vector subscript", "integers of kind %d are not known", kind);
  }
}

/// Asks for a cache line that is about to be written. It may lie in another core's cache.
inline void prepare_to_write(const char* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*address));  // older processors take it as no operation
#else
  __builtin_prefetch(address, 1);
#endif
}

template <std::size_t kBytes>
void copy_row(char* to, std::ptrdiff_t to_stride, const char* from, std::ptrdiff_t from_stride,
              std::size_t count) {
  constexpr std::ptrdiff_t kCacheLine = 64, kAhead = 24;
  // Stores are done in order: each would wait for its own line, which a neighbour image has read.
  if (to_stride >= kCacheLine || to_stride <= -kCacheLine) {
    for (std::size_t i = 0; i < count; ++i, to += to_stride, from += from_stride) {
      prepare_to_write(to + kAhead * to_stride);
      std::memcpy(to, from, kBytes);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i, to += to_stride, from += from_stride) std::memcpy(to, from, kBytes);
}

void copy_row(char* to, std::ptrdiff_t to_stride, const char* from, std::ptrdiff_t from_stride,
              std::size_t count, std::size_t bytes) {
  const auto dense = static_cast<std::ptrdiff_t>(bytes);
  if (to_stride == dense && from_stride == dense) {
    std::memcpy(to, from, count * bytes);
    return;
  }
  switch (bytes) {
    case 4:
      return copy_row<4>(to, to_stride, from, from_stride, count);
    case 8:
      return copy_row<8>(to, to_stride, from, from_stride, count);
    case 16:
      return copy_row<16>(to, to_stride, from, from_stride, count);
    default:
      for (std::size_t i = 0; i < count; ++i, to += to_stride, from += from_stride)
        std::memcpy(to, from, bytes);
  }
}

std::ptrdiff_t offset_in(const SectionDimension& d, std::size_t index) {
  return d.table ? d.table[index] : static_cast<std::ptrdiff_t>(index) * d.stride;
}

/// Copies all elements below dimension `level`, whose extents are the same on both sides.
void copy_level(char* to, const Section& to_section, const char* from, const Section& from_section,
                int level) {
  const SectionDimension &t = to_section.dim[level], &f = from_section.dim[level];
  if (level == 0 && !t.table && !f.table)
    return copy_row(to, t.stride, from, f.stride, t.extent, to_section.type.bytes);
  for (std::size_t i = 0; i < t.extent; ++i) {
    char* const there = to + offset_in(t, i);
    const char* const here = from + offset_in(f, i);
    if (level == 0)
      std::memcpy(there, here, to_section.type.bytes);
    else
      copy_level(there, to_section, here, from_section, level - 1);
  }
}

bool have_same_shape(const Section& a, const Section& b) {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.dim[d].extent != b.dim[d].extent) return false;
  return true;
}

/// A contiguous section in the shape of another one.
Section dense_like(const Section& shape) {
  Section dense = shape;
  dense.first = 0;
  auto stride = static_cast<std::ptrdiff_t>(shape.type.bytes);
  for (int d = 0; d < dense.rank; ++d) {
    dense.dim[d].stride = stride;
    dense.dim[d].table = nullptr;
    stride *= static_cast<std::ptrdiff_t>(dense.dim[d].extent);
  }
  return dense;
}

}  // namespace

void Section::add(std::size_t extent, std::ptrdiff_t stride, const std::ptrdiff_t* table) {
  count *= extent;
  if (extent == 1) {
    first += table ? table[0] : 0;
    return;
  }
  if (rank > 0 && !table && !dim[rank - 1].table) {
    SectionDimension& last = dim[rank - 1];
    // A row that continues where the last one ended, as long as the whole stays a run of bytes.
    if (rank == 1 && last.stride == static_cast<std::ptrdiff_t>(type.bytes) &&
        stride == last.stride * static_cast<std::ptrdiff_t>(last.extent)) {
      last.extent *= extent;
      return;
    }
  }
  dim[rank++] = {extent, stride, table};
}

bool Section::has_tables() const {
  return std::any_of(dim, dim + rank, [](const SectionDimension& d) { return d.table != nullptr; });
}

void Section::bounds(std::ptrdiff_t& low, std::ptrdiff_t& high) const {
  low = high = first;
  for (int d = 0; d < rank; ++d) {
    if (dim[d].table) {
      const auto [least, most] = std::minmax_element(dim[d].table, dim[d].table + dim[d].extent);
      low += *least;
      high += *most;
    } else {
      const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(dim[d].extent - 1) * dim[d].stride;
      (reach < 0 ? low : high) += reach;
    }
  }
  high += static_cast<std::ptrdiff_t>(type.bytes);
}

void Section::spread_over(const Section& other) {
  rank = other.rank;
  count = other.count;
  for (int d = 0; d < rank; ++d) dim[d] = {other.dim[d].extent, 0, nullptr};
}

namespace {
Section section_of_units(const Descriptor& array, int kind, std::ptrdiff_t unit) {
  Section section;
  section.type = {array.dtype.type, kind, array.dtype.element_bytes};
  for (int d = 0; d < array.dtype.rank; ++d)
    section.add(static_cast<std::size_t>(array.dim[d].extent()), array.dim[d].stride * unit);
  return section;
}
}  // namespace

Section section_of(const Descriptor& array, int kind) {
  // Sections of components step over whole objects.
  return section_of_units(array, kind,
                          std::max(array.span, static_cast<std::ptrdiff_t>(array.dtype.element_bytes)));
}

Section section_without_span(const Descriptor& array) {
  return section_of_units(array, 0, static_cast<std::ptrdiff_t>(array.dtype.element_bytes));
}

const std::ptrdiff_t* table_of(const void* indices, int kind, std::size_t count, std::ptrdiff_t lower,
                               std::ptrdiff_t stride, Scratch& tables) {
  auto* const table = reinterpret_cast<std::ptrdiff_t*>(tables.take(count * sizeof(std::ptrdiff_t)));
  for (std::size_t i = 0; i < count; ++i) table[i] = (index_at(indices, kind, i) - lower) * stride;
  return table;
}

Section section_of(const Descriptor& array, int kind, const VectorSubscript* subscripts, Scratch& tables) {
  if (!subscripts) return section_of(array, kind);
  Section section;
  section.type = {array.dtype.type, kind, array.dtype.element_bytes};
  for (int d = 0; d < array.dtype.rank; ++d) {
    const VectorSubscript& subscript = subscripts[d];
    const std::ptrdiff_t lower = array.dim[d].lower;
    const std::ptrdiff_t stride =
        array.dim[d].stride * static_cast<std::ptrdiff_t>(array.dtype.element_bytes);
    if (subscript.count > 0) {
      section.add(
          subscript.count, 0,
          table_of(subscript.vector.indices, subscript.vector.kind, subscript.count, lower, stride, tables));
    } else {
      const auto& triplet = subscript.triplet;
      const std::ptrdiff_t extent = (triplet.upper - triplet.lower + triplet.stride) / triplet.stride;
      section.first += (triplet.lower - lower) * stride;
      section.add(static_cast<std::size_t>(std::max<std::ptrdiff_t>(extent, 0)), triplet.stride * stride);
    }
  }
  return section;
}

void copy_section(char* to, const Section& to_section, const char* from, const Section& from_section) {
  if (to_section.count == 0) return;
  to += to_section.first;
  from += from_section.first;
  if (to_section.is_contiguous() && from_section.is_contiguous()) {
    std::memcpy(to, from, to_section.total_bytes());
  } else if (have_same_shape(to_section, from_section)) {
    copy_level(to, to_section, from, from_section, to_section.rank - 1);
  } else {
    // One is contiguous and has the other's shape as well, or neither is.
    Section in = to_section, out = from_section;
    in.first = out.first = 0;
    if (from_section.is_contiguous()) {
      scatter(to, in, from);
    } else if (to_section.is_contiguous()) {
      gather(to, from, out);
    } else {
      Scratch scratch;
      char* const dense = scratch.take(to_section.total_bytes());
      gather(dense, from, out);
      scatter(to, in, dense);
    }
  }
}

void gather(char* to, const char* from, const Section& section) {
  if (section.count == 0) return;
  if (section.rank == 0)
    std::memcpy(to, from + section.first, section.type.bytes);
  else
    copy_level(to, dense_like(section), from + section.first, section, section.rank - 1);
}

void scatter(char* to, const Section& section, const char* from) {
  if (section.count == 0) return;
  if (section.rank == 0)
    std::memcpy(to + section.first, from, section.type.bytes);
  else
    copy_level(to + section.first, section, from, dense_like(section), section.rank - 1);
}

}  // namespace aqueduct::caf
