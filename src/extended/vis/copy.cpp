#include "extended/vis/copy.hpp"

namespace aqueduct::extended::vis {
namespace {

struct Row {
  std::size_t count;
  std::ptrdiff_t to_stride, from_stride;
};

// A row where one side's elements lie side by side leaves the processor one address to compute.
template <SizeClass kSize>
[[gnu::always_inline]] inline void copy_row(std::byte* to, const std::byte* from, const Row& row,
                                            std::size_t element) {
  constexpr bool kIsKnown = is_known(kSize);
  constexpr auto kBytes = static_cast<std::ptrdiff_t>(kSize);
  if (kIsKnown && row.from_stride == kBytes) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < row.count; ++i, to += row.to_stride, from += kBytes)
      copy_element<kSize>(to, from, element);
  } else if (kIsKnown && row.to_stride == kBytes) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < row.count; ++i, to += kBytes, from += row.from_stride)
      copy_element<kSize>(to, from, element);
  } else {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < row.count; ++i, to += row.to_stride, from += row.from_stride)
      copy_element<kSize>(to, from, element);
  }
}

template <SizeClass kSize>
void copy_rows(const StridedShape<2>& shape, std::byte* to, const std::byte* from) {
  const auto row_of = [&](unsigned level) {
    return level < shape.levels
               ? Row{shape.count[level], shape.stride[kTo][level], shape.stride[kFrom][level]}
               : Row{1, 0, 0};
  };
  const Row inner = row_of(0), outer = row_of(1);
  std::array<std::size_t, kMostLevels> coordinate;  // of the levels around those two
  for (unsigned level = 2; level < shape.levels; ++level) coordinate[level] = 0;
  while (true) {
    std::byte* row_to = to;
    const std::byte* row_from = from;
    for (std::size_t i = 0; i < outer.count; ++i) {
      copy_row<kSize>(row_to, row_from, inner, shape.element);
      row_to += outer.to_stride;
      row_from += outer.from_stride;
    }
    unsigned level = 2;
    for (; level < shape.levels; ++level) {
      to += shape.stride[kTo][level];
      from += shape.stride[kFrom][level];
      if (++coordinate[level] < shape.count[level]) break;
      to -= static_cast<std::ptrdiff_t>(shape.count[level]) * shape.stride[kTo][level];
      from -= static_cast<std::ptrdiff_t>(shape.count[level]) * shape.stride[kFrom][level];
      coordinate[level] = 0;
    }
    if (level >= shape.levels) return;
  }
}

}  // namespace

void copy_strided(const StridedShape<2>& shape, std::byte* to, const std::byte* from) {
  if (shape.levels == 0) {
    copy_piece(to, from, shape.element);
    return;
  }
  switch (shape.element) {
    case 1:
      return copy_rows<SizeClass{1}>(shape, to, from);
    case 2:
      return copy_rows<SizeClass{2}>(shape, to, from);
    case 4:
      return copy_rows<SizeClass{4}>(shape, to, from);
    case 8:
      return copy_rows<SizeClass{8}>(shape, to, from);
    case 16:
      return copy_rows<SizeClass{16}>(shape, to, from);
    case 64:
      return copy_rows<SizeClass{64}>(shape, to, from);
    default:
      return shape.element <= kMostSmallBytes ? copy_rows<kSmall>(shape, to, from)
                                              : copy_rows<kLarge>(shape, to, from);
  }
}

}  // namespace aqueduct::extended::vis
