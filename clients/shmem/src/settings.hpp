// What the environment says.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqshmem {

/// The bytes of the symmetric heap: SHMEM_SYMMETRIC_SIZE, or SMA_SYMMETRIC_SIZE, or XT_SYMMETRIC_HEAP_SIZE,
/// the first that is set; a number with K, M, G or T behind it, as in "1.5G". What is no size ends the job
/// with one line.
std::size_t symmetric_bytes();

/// For how many microseconds nobody may have been in the library before the progress thread looks for
/// messages (AQUEDUCT_SHMEM_PROGRESS_US); 0: there is no such thread.
std::uint32_t progress_us();

/// Whether a variable is set to something that means yes.
bool is_set(const char* name);

}  // namespace aqshmem
