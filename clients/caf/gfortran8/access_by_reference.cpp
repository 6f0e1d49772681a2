// Puts and gets of parts that are named by a chain of references.
#include <cstdlib>

#include "clients/caf/by_reference.hpp"
#include "clients/caf/images.hpp"
#include "clients/caf/transfer.hpp"

using namespace aqueduct::caf;

namespace {

/// Gives the program's allocatable array the shape of the part, and memory if it has none or another size.
void take_shape(Descriptor& array, const RemotePart& part) {
  bool fits = array.base != nullptr && array.dtype.rank == part.rank;
  std::size_t count = 1;
  for (int d = 0; d < part.rank; ++d) {
    fits = fits && static_cast<std::size_t>(array.dim[d].extent()) == part.extents[d];
    count *= part.extents[d];
  }
  if (fits) return;
  const std::size_t bytes = count * array.dtype.element_bytes;
  std::free(array.base);
  array.base = std::malloc(bytes ? bytes : 1);
  if (!array.base) fatal("an assignment", "no memory for %zu bytes", bytes);
  array.dtype.rank = static_cast<signed char>(part.rank);
  array.span = static_cast<std::ptrdiff_t>(array.dtype.element_bytes);
  std::ptrdiff_t stride = 1, offset = 0;
  for (int d = 0; d < part.rank; ++d) {
    const auto extent = static_cast<std::ptrdiff_t>(part.extents[d]);
    array.dim[d] = {stride, 1, extent};
    offset -= stride;
    stride *= extent;
  }
  array.offset = static_cast<std::size_t>(offset);
}

[[gnu::cold]] void fail_unallocated(int image, int* stat) {
  Outcome{stat}.fail(kNotAllocated, "a reference to a component", "it is not allocated on image %d", image);
}

}  // namespace

CAF_ENTRY(void _gfortran_caf_get_by_ref)
(void* token, int image, Descriptor* target, Reference* references, int target_kind, int source_kind,
 bool may_overlap, bool is_reallocatable, int* stat, int source_type) {
  gex_Rank_t rank;
  if (!find_image(image, rank, {stat}, kGetStatement)) return;
  Scratch scratch;
  RemotePart part;
  if (!find_part(allocated_coarray(token, kGetStatement), rank, references,
                 static_cast<TypeCode>(source_type), source_kind, scratch, part))
    return fail_unallocated(image, stat);
  // Descriptors of results that the compiler makes on the way have memory only if their size is known.
  if (is_reallocatable || (!target->base && part.rank > 0)) take_shape(*target, part);
  get_section(static_cast<char*>(target->base), section_of(*target, target_kind), rank, part.offset,
              part.section, may_overlap);
  look_for_messages();
  if (stat) *stat = kOk;
}

CAF_ENTRY(void _gfortran_caf_send_by_ref)
(void* token, int image, Descriptor* source, Reference* references, int target_kind, int source_kind,
 bool may_overlap, bool, int* stat, int target_type) {
  gex_Rank_t rank;
  if (!find_image(image, rank, {stat}, kPutStatement)) return;
  Scratch scratch;
  RemotePart part;
  if (!find_part(allocated_coarray(token, kPutStatement), rank, references,
                 static_cast<TypeCode>(target_type), target_kind, scratch, part))
    return fail_unallocated(image, stat);
  put_section(rank, part.offset, part.section, static_cast<const char*>(source->base),
              section_of(*source, source_kind), may_overlap);
  look_for_messages();
  if (stat) *stat = kOk;
}

CAF_ENTRY(void _gfortran_caf_sendget_by_ref)
(void* target_token, int target_image, Reference* target_references, void* source_token, int source_image,
 Reference* source_references, int target_kind, int source_kind, bool, int* target_stat, int* source_stat,
 int target_type, int source_type) {
  gex_Rank_t to, from;
  if (!find_image(target_image, to, {target_stat}, kPutStatement)) return;
  if (!find_image(source_image, from, {source_stat}, kGetStatement)) return;
  Scratch scratch;
  RemotePart target, source;
  if (!find_part(allocated_coarray(target_token, kPutStatement), to, target_references,
                 static_cast<TypeCode>(target_type), target_kind, scratch, target))
    return fail_unallocated(target_image, target_stat);
  if (!find_part(allocated_coarray(source_token, kGetStatement), from, source_references,
                 static_cast<TypeCode>(source_type), source_kind, scratch, source))
    return fail_unallocated(source_image, source_stat);
  move_section(to, target.offset, target.section, from, source.offset, source.section);
  look_for_messages();
  if (target_stat) *target_stat = kOk;
  if (source_stat) *source_stat = kOk;
}

CAF_ENTRY(int _gfortran_caf_is_present)(void* token, int image, Reference* references) {
  const gex_Rank_t rank = rank_of_image(image, "ALLOCATED");
  Scratch scratch;
  RemotePart part;
  return find_part(allocated_coarray(token, "ALLOCATED"), rank, references, TypeCode::kDerived, 0, scratch,
                   part);
}
