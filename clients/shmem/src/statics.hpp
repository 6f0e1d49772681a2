// The static and global variables of the program as symmetric memory.
//
// The executable's writable data is one run of pages. Its contents move into shared memory that neighbours
// have mapped, and that memory is mapped again at the place where the variables are, so that no address
// changes: whoever has a pointer to a variable goes on using it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqshmem {

struct Statics {
  std::uintptr_t begin = 0;  ///< whole pages
  std::size_t bytes = 0;
  std::uintptr_t program_base = 0;  ///< where the loader has put the executable's address 0
};

/// Those of the executable, without what the loader has made read-only. None if it has no writable data.
/// Shared libraries have theirs elsewhere: they are not symmetric.
Statics find_statics();

/// Puts shared memory, all zero, in place of private memory at whole pages: what a simulated rank has as its
/// segment, or one whose network nobody maps, is private and cannot be mapped a second time. False, with
/// errno.
bool make_shared(void* place, std::size_t bytes);

/// Moves them to `shared`, a part of a shared mapping of as many bytes that are all zero. No other thread may
/// write to them meanwhile. False, with errno, if the system refuses; then nothing has changed.
bool move_statics(const Statics& statics, void* shared);

}  // namespace aqshmem
