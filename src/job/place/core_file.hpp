// What of the job's shared memory a core file holds.
//
// The kernel would write all of a mapping, and to do so it allocates every page that was never used:
// gigabytes where kilobytes are in use. So all shared memory is left out of core files (try_map_shared), and
// when a fatal signal has come, before the core file is written, the pages that hold data are put back in: of
// this rank's own segments, which a person with a debugger looks for, and of nothing else.
//
// A client that handles fatal signals itself, or leaves them to the system (GASNET_NO_CATCH_SIGNAL), gets
// core files without segments.
#pragma once
#include <cstddef>

namespace aqueduct::job {

/// [address, address + bytes) maps the file from `offset` on and should be in a core file as far as it is
/// used. Any thread. Where there are too many such places the rest is left out.
void keep_in_core_file(void* address, std::size_t bytes, int memory_fd, std::size_t offset);

/// What lies at this place of the file is no longer mapped.
void forget_in_core_file(std::size_t offset);

/// Puts the pages in use of what is kept back in. For signal handlers.
void prepare_core_file();

}  // namespace aqueduct::job
