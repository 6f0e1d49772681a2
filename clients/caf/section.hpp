// Sections of arrays: which bytes of an image's memory take part in a transfer, in the order of their
// elements.
//
// A section is made from a descriptor, from a descriptor with vector subscripts, or from a chain of
// references; from then on nobody asks where it came from. Its elements are `element_bytes` long and lie at
// `first` plus, for each dimension, index times stride or the entry of a table. Dimensions of extent 1 are
// left out, and a contiguous section has at most one dimension.
#pragma once
#include <cstddef>

#include "clients/caf/interface/gfortran8.hpp"
#include "clients/caf/scratch.hpp"

namespace aqueduct::caf {

struct ElementType {
  TypeCode code = TypeCode::kDerived;
  int kind = 0;           ///< bytes of a number, logical or character; of a complex number's part
  std::size_t bytes = 0;  ///< of an element
  bool operator==(const ElementType&) const = default;
};

struct SectionDimension {
  std::size_t extent;
  std::ptrdiff_t stride;        ///< bytes
  const std::ptrdiff_t* table;  ///< offsets in bytes, in place of the stride; or null
};

struct Section {
  std::ptrdiff_t first = 0;  ///< bytes from whatever it counts from
  ElementType type;
  int rank = 0;
  SectionDimension dim[kMaxRank];
  std::size_t count = 1;  ///< elements

  /// Adds a dimension behind those that there are.
  void add(std::size_t extent, std::ptrdiff_t stride, const std::ptrdiff_t* table = nullptr);
  bool is_contiguous() const {
    return rank == 0 ||
           (rank == 1 && !dim[0].table && dim[0].stride == static_cast<std::ptrdiff_t>(type.bytes));
  }
  bool has_tables() const;
  std::size_t total_bytes() const { return count * type.bytes; }
  /// The bytes [low, high) that it touches, from whatever it counts from. Not for one without elements.
  void bounds(std::ptrdiff_t& low, std::ptrdiff_t& high) const;
  /// Repeats its one element over the shape of `other`.
  void spread_over(const Section& other);
};

/// What a descriptor describes, from the address in it.
Section section_of(const Descriptor& array, int kind);
/// The same of one whose span may be unset: its strides are those of elements.
Section section_without_span(const Descriptor& array);
/// The same with subscripts for each dimension (none if null). Tables of vectors come from `tables`.
Section section_of(const Descriptor& array, int kind, const VectorSubscript* subscripts, Scratch& tables);

/// Offsets of elements that a vector subscript names: (index - lower) * stride.
const std::ptrdiff_t* table_of(const void* indices, int kind, std::size_t count, std::ptrdiff_t lower,
                               std::ptrdiff_t stride, Scratch& tables);

/// Copies elements between memory of this process: both sections have as many bytes in each element and as
/// many elements, and are applied to these addresses. Nothing overlaps.
void copy_section(char* to, const Section& to_section, const char* from, const Section& from_section);
/// Gathers into, or scatters from, contiguous memory.
void gather(char* to, const char* from, const Section& section);
void scatter(char* to, const Section& section, const char* from);

}  // namespace aqueduct::caf
