#include "extended/vis/copy.hpp"

namespace aqueduct::extended::vis {
namespace {

struct Row {
  std::size_t count;
  std::ptrdiff_t to_stride, from_stride;
};

// Sizes that are known only now: such as a few instructions can move, and larger ones.
constexpr std::size_t kSmall = 0, kLarge = ~std::size_t{0};

template <std::size_t Size>
[[gnu::always_inline]] inline void copy_element(std::byte* to, const std::byte* from, std::size_t bytes) {
  if constexpr (Size == kSmall) {
    copy_piece(to, from, bytes);
  } else if constexpr (Size == kLarge) {
    std::memcpy(to, from, bytes);
  } else {
    std::memcpy(to, from, Size);
  }
}

// A row where one side's elements lie side by side leaves the processor one address to compute.
template <std::size_t Size>
[[gnu::always_inline]] inline void copy_row(std::byte* to, const std::byte* from, const Row& row,
                                            std::size_t element) {
  constexpr bool kIsKnown = Size != kSmall && Size != kLarge;
  constexpr auto kSize = static_cast<std::ptrdiff_t>(Size);
  if (kIsKnown && row.from_stride == kSize) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < row.count; ++i, to += row.to_stride, from += kSize)
      copy_element<Size>(to, from, element);
  } else if (kIsKnown && row.to_stride == kSize) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < row.count; ++i, to += kSize, from += row.from_stride)
      copy_element<Size>(to, from, element);
  } else {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < row.count; ++i, to += row.to_stride, from += row.from_stride)
      copy_element<Size>(to, from, element);
  }
}

template <std::size_t Size>
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
      copy_row<Size>(row_to, row_from, inner, shape.element);
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
    std::memcpy(to, from, shape.element);
    return;
  }
  switch (shape.element) {
    case 1:
      return copy_rows<1>(shape, to, from);
    case 2:
      return copy_rows<2>(shape, to, from);
    case 4:
      return copy_rows<4>(shape, to, from);
    case 8:
      return copy_rows<8>(shape, to, from);
    case 16:
      return copy_rows<16>(shape, to, from);
    default:
      return shape.element <= kMostSmallBytes ? copy_rows<kSmall>(shape, to, from)
                                              : copy_rows<kLarge>(shape, to, from);
  }
}

}  // namespace aqueduct::extended::vis
