// Collectives that move data, for teams and active sets.
#pragma once
#include <cstddef>

#include "group.hpp"

namespace aqshmem {

/// Of the root to all; to itself only if `to_root`.
void broadcast(const Group& group, void* dest, const void* source, std::size_t bytes, int root, bool to_root);
/// The bytes of all members, one behind the other, to all: as many of each, or any number.
void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes);
void collect(const Group& group, void* dest, const void* source, std::size_t bytes);
/// Block number m to member m.
void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes);
/// The same of elements at distances, which count elements.
void alltoalls(const Group& group, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
               std::size_t nelems, std::size_t element_bytes);

}  // namespace aqshmem
