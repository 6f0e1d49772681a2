// Strided memory: elements of equal size at regular distances in several dimensions.
//
// A shape is kept in its simplest form, which makes it the same for all the ways of writing it: dimensions of
// one element are dropped, and a dimension that continues the one inside it is merged with it. A dimension
// that is left has at least two elements, and no destination holds more than the address space, so there is a
// most number of them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "extended/vis/walk.hpp"

namespace aqueduct::extended::vis {

inline constexpr unsigned kMostLevels = 48;

/// A shape on `Sides` sides at once, whose strides differ: one, or both ends of a copy.
template <unsigned Sides>
struct StridedShape {
  std::size_t element = 0;  ///< bytes that lie side by side
  unsigned levels = 0;      ///< dimensions, the innermost first
  std::array<std::size_t, kMostLevels> count;
  std::array<std::array<std::ptrdiff_t, kMostLevels>, Sides> stride;  ///< in bytes

  explicit StridedShape(std::size_t element_bytes) : element(element_bytes) {}
  StridedShape() : StridedShape(0) {}

  /// Adds a dimension around those that are there. Answers false if there are more than memory can hold.
  bool add(std::size_t elements, const std::array<std::ptrdiff_t, Sides>& strides) {
    if (elements == 1) return true;
    if (continues(strides)) {
      return levels == 0 ? !__builtin_mul_overflow(element, elements, &element)
                         : !__builtin_mul_overflow(count[levels - 1], elements, &count[levels - 1]);
    }
    if (levels == kMostLevels) return false;
    count[levels] = elements;
    for (unsigned side = 0; side < Sides; ++side) stride[side][levels] = strides[side];
    ++levels;
    return true;
  }

  /// All bytes, or 0 if they are too many for a number.
  std::size_t bytes() const {
    std::size_t product = element;
    for (unsigned level = 0; level < levels; ++level) {
      if (__builtin_mul_overflow(product, count[level], &product)) return 0;
    }
    return product;
  }

 private:
  bool continues(const std::array<std::ptrdiff_t, Sides>& strides) const {
    for (unsigned side = 0; side < Sides; ++side) {
      const std::uintptr_t next =
          levels == 0 ? element : count[levels - 1] * static_cast<std::uintptr_t>(stride[side][levels - 1]);
      if (static_cast<std::uintptr_t>(strides[side]) != next) return false;
    }
    return true;
  }
};

/// From the lowest byte of a shape to its highest, as offsets from its first element.
struct Extent {
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;
  bool too_large = false;  ///< for an offset
};
template <unsigned Sides>
Extent extent_of(const StridedShape<Sides>& shape, unsigned side) {
  Extent extent{0, static_cast<std::ptrdiff_t>(shape.element),
                static_cast<std::ptrdiff_t>(shape.element) < 0};
  for (unsigned level = 0; level < shape.levels; ++level) {
    std::ptrdiff_t span = 0;
    extent.too_large |= __builtin_mul_overflow(shape.stride[side][level], shape.count[level] - 1, &span);
    std::ptrdiff_t& end = span < 0 ? extent.low : extent.high;
    extent.too_large |= __builtin_add_overflow(end, span, &end);
  }
  return extent;
}

/// A shape in memory.
struct StridedRegion {
  std::byte* base = nullptr;
  StridedShape<1> shape;

  class Walk;
  inline Walk walk(Position from) const;
  std::size_t bytes() const { return shape.bytes(); }
};

/// Over a region, which must stay where it is.
class StridedRegion::Walk {
 public:
  Walk(const StridedRegion& region, Position from) : region_(&region) { go_to(from); }

  const Piece& piece() const { return piece_; }
  Position position() const { return at_; }
  const StridedRegion& region() const { return *region_; }

  void advance(std::size_t bytes) {
    at_.skip += bytes;
    piece_.address += bytes;
    piece_.bytes -= bytes;
    if (piece_.bytes == 0) next_element();
  }

  void go_to(Position position) {
    const StridedShape<1>& shape = region_->shape;
    at_ = position;
    std::size_t index = position.index;
    element_ = region_->base;
    for (unsigned level = 0; level < shape.levels; ++level) {
      coordinate_[level] = index % shape.count[level];
      index /= shape.count[level];
      element_ += static_cast<std::ptrdiff_t>(coordinate_[level]) * shape.stride[0][level];
    }
    piece_ = index != 0 ? Piece{} : Piece{element_ + position.skip, shape.element - position.skip};
  }

 private:
  void next_element() {
    const StridedShape<1>& shape = region_->shape;
    at_ = {at_.index + 1, 0};
    for (unsigned level = 0; level < shape.levels; ++level) {
      element_ += shape.stride[0][level];
      if (++coordinate_[level] < shape.count[level]) {
        piece_ = {element_, shape.element};
        return;
      }
      element_ -= static_cast<std::ptrdiff_t>(shape.count[level]) * shape.stride[0][level];
      coordinate_[level] = 0;
    }
    piece_ = {};
  }

  const StridedRegion* region_;
  Position at_;
  Piece piece_;
  std::byte* element_ = nullptr;
  std::array<std::size_t, kMostLevels> coordinate_;
};

inline StridedRegion::Walk StridedRegion::walk(Position from) const { return {*this, from}; }

}  // namespace aqueduct::extended::vis
