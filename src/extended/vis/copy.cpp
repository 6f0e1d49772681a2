#include "extended/vis/copy.hpp"

namespace aqueduct::extended::vis {
namespace {

// A row where one side's elements lie side by side leaves the processor one address to compute.
template <SizeClass kSize>
[[gnu::always_inline]] inline void copy_row_of(std::byte* to, const std::byte* from, const Row& row,
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

// Calls copy(size) with what the compiler is to know of the elements' size.
template <class Copy>
[[gnu::always_inline]] inline void with_size(std::size_t element, const Copy& copy) {
  switch (element) {
    case 1:
      return copy.template operator()<SizeClass{1}>();
    case 2:
      return copy.template operator()<SizeClass{2}>();
    case 4:
      return copy.template operator()<SizeClass{4}>();
    case 8:
      return copy.template operator()<SizeClass{8}>();
    case 16:
      return copy.template operator()<SizeClass{16}>();
    case 64:
      return copy.template operator()<SizeClass{64}>();
    default:
      return element <= kMostSmallBytes ? copy.template operator()<kSmall>()
                                        : copy.template operator()<kLarge>();
  }
}

template <SizeClass kSize>
void copy_rows(const StridedShape<2>& shape, std::byte* to, const std::byte* from) {
  const auto row_of = [&](unsigned level) {
    return level < shape.levels
               ? Row{shape.count[level], shape.stride[kTo][level], shape.stride[kFrom][level]}
               : Row{};
  };
  const Row inner = row_of(0), outer = row_of(1);
  std::array<std::size_t, kMostLevels> coordinate;  // of the levels around those two
  for (unsigned level = 2; level < shape.levels; ++level) coordinate[level] = 0;
  while (true) {
    std::byte* row_to = to;
    const std::byte* row_from = from;
    for (std::size_t i = 0; i < outer.count; ++i) {
      copy_row_of<kSize>(row_to, row_from, inner, shape.element);
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

void copy_row(std::byte* to, const std::byte* from, std::size_t element, std::size_t count,
              std::ptrdiff_t to_stride, std::ptrdiff_t from_stride) {
  with_size(element, [&]<SizeClass kSize>() {
    copy_row_of<kSize>(to, from, Row{count, to_stride, from_stride}, element);
  });
}

void copy_strided(const StridedShape<2>& shape, std::byte* to, const std::byte* from) {
  if (shape.levels == 0) return copy_one(to, from, shape.element);
  with_size(shape.element, [&]<SizeClass kSize>() { copy_rows<kSize>(shape, to, from); });
}

}  // namespace aqueduct::extended::vis
