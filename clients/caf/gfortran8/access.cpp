// Puts and gets of coarrays and of parts of them that are where they are on every image.
#include <cstring>

#include "clients/caf/coarray.hpp"
#include "clients/caf/images.hpp"
#include "clients/caf/transfer.hpp"

using namespace aqueduct::caf;

namespace {

bool is_dense_row(const Descriptor& array) {
  return array.dtype.rank == 0 || (array.dtype.rank == 1 && array.dim[0].stride == 1);
}

/// The bytes of a transfer that is a plain copy: the same type on both sides, and a scalar or a row of
/// neighbouring elements. -1 otherwise.
std::ptrdiff_t bytes_of_copy(const Descriptor& to, const Descriptor& from, int to_kind, int from_kind) {
  const std::size_t bytes = to.dtype.element_bytes;
  if (bytes != from.dtype.element_bytes || to.dtype.type != from.dtype.type || to_kind != from_kind)
    return -1;
  if (to.dtype.rank != from.dtype.rank || !is_dense_row(to) || !is_dense_row(from)) return -1;
  if (to.dtype.rank == 0) return static_cast<std::ptrdiff_t>(bytes);
  const std::ptrdiff_t count = to.dim[0].extent();
  return count == from.dim[0].extent() ? count * static_cast<std::ptrdiff_t>(bytes) : -1;
}

/// The rank of the image, where its memory is mapped. False: the general way.
bool find_neighbour(int image, gex_Rank_t& rank) {
  if (job.has_network || job.reports_failures || !job.team->has(image)) [[unlikely]]
    return false;
  rank = job.team->rank_of(image);
  return true;
}

void copy(char* to, const char* from, std::size_t bytes, bool may_overlap) {
  if (bytes == 8)
    std::memcpy(to, from, 8);
  else if (bytes == 4)
    std::memcpy(to, from, 4);
  else if (may_overlap)
    std::memmove(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

[[gnu::noinline]] void put(const Coarray& coarray, std::size_t offset, int image, const Descriptor& target,
                           const VectorSubscript* subscripts, const Descriptor& source, int target_kind,
                           int source_kind, bool may_overlap, int* stat) {
  gex_Rank_t rank;
  if (stat ? !find_image(image, rank, {stat}, kPutStatement) : false) return;
  rank = rank_of_image(image, kPutStatement);
  Scratch tables;
  put_section(rank, coarray.offset + offset, section_of(target, target_kind, subscripts, tables),
              static_cast<const char*>(source.base), section_of(source, source_kind), may_overlap);
  look_for_messages();
  if (stat) *stat = kOk;
}

[[gnu::noinline]] void get(const Coarray& coarray, std::size_t offset, int image, const Descriptor& source,
                           const VectorSubscript* subscripts, const Descriptor& target, int source_kind,
                           int target_kind, bool may_overlap, int* stat) {
  gex_Rank_t rank;
  if (stat ? !find_image(image, rank, {stat}, kGetStatement) : false) return;
  rank = rank_of_image(image, kGetStatement);
  Scratch tables;
  get_section(static_cast<char*>(target.base), section_of(target, target_kind), rank, coarray.offset + offset,
              section_of(source, source_kind, subscripts, tables), may_overlap);
  look_for_messages();
  if (stat) *stat = kOk;
}

}  // namespace

CAF_ENTRY(void _gfortran_caf_send)
(void* token, std::size_t offset, int image, Descriptor* target, VectorSubscript* subscripts,
 Descriptor* source, int target_kind, int source_kind, bool may_overlap, int* stat) {
  const Coarray& coarray = allocated_coarray(token, kPutStatement);
  gex_Rank_t rank;
  if (!subscripts && find_neighbour(image, rank)) [[likely]] {
    const std::ptrdiff_t bytes = bytes_of_copy(*target, *source, target_kind, source_kind);
    if (bytes >= 0) [[likely]] {
      copy(job.peers[rank].here + coarray.offset + offset, static_cast<const char*>(source->base),
           static_cast<std::size_t>(bytes), rank == job.rank);
      if (stat) *stat = kOk;
      return;
    }
  }
  put(coarray, offset, image, *target, subscripts, *source, target_kind, source_kind, may_overlap, stat);
}

CAF_ENTRY(void _gfortran_caf_get)
(void* token, std::size_t offset, int image, Descriptor* source, VectorSubscript* subscripts,
 Descriptor* target, int source_kind, int target_kind, bool may_overlap, int* stat) {
  const Coarray& coarray = allocated_coarray(token, kGetStatement);
  gex_Rank_t rank;
  if (!subscripts && find_neighbour(image, rank)) [[likely]] {
    const std::ptrdiff_t bytes = bytes_of_copy(*target, *source, target_kind, source_kind);
    if (bytes >= 0) [[likely]] {
      copy(static_cast<char*>(target->base), job.peers[rank].here + coarray.offset + offset,
           static_cast<std::size_t>(bytes), rank == job.rank);
      if (stat) *stat = kOk;
      return;
    }
  }
  get(coarray, offset, image, *source, subscripts, *target, source_kind, target_kind, may_overlap, stat);
}

CAF_ENTRY(void _gfortran_caf_sendget)
(void* target_token, std::size_t target_offset, int target_image, Descriptor* target,
 VectorSubscript* target_subscripts, void* source_token, std::size_t source_offset, int source_image,
 Descriptor* source, VectorSubscript* source_subscripts, int target_kind, int source_kind, bool, int* stat) {
  const gex_Rank_t to = rank_of_image(target_image, kPutStatement);
  const gex_Rank_t from = rank_of_image(source_image, kGetStatement);
  Scratch tables;
  move_section(to, allocated_coarray(target_token, kPutStatement).offset + target_offset,
               section_of(*target, target_kind, target_subscripts, tables), from,
               allocated_coarray(source_token, kGetStatement).offset + source_offset,
               section_of(*source, source_kind, source_subscripts, tables));
  look_for_messages();
  if (stat) *stat = kOk;
}
