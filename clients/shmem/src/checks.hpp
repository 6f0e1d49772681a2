// What an operation is checked for on its way into the library: always that it can be done at all; with
// AQUEDUCT_SHMEM_CHECK=1, which brings all operations here, also what would go unnoticed.
#pragma once
#include <cstddef>

#include "job.hpp"

namespace aqshmem {

/// That `pe` is one, and [address, address + bytes) symmetric; if checks are on, inside one block of the
/// heap.
void check_range(const char* call, const void* address, std::size_t bytes, int pe);

/// The following do nothing unless checks are on.
void check_overlap(const char* call, const void* to, const void* from, std::size_t bytes);
void check_alignment(const char* call, const void* address, std::size_t bytes);

/// That all members of a team make the same call with the same numbers. Collective over it, by its barrier.
void check_same(const char* call, gex_TM_t team, std::initializer_list<std::size_t> numbers);

}  // namespace aqshmem
