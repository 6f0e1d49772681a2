// Decides which parts of the job's shared memory a core file holds.
//
// The kernel would write whole mappings, and would allocate every page that was never used: gigabytes where
// kilobytes are in use. So all shared memory is left out of core files (try_map_shared). When a fatal signal
// has come, before the core file is written, prepare_core_file() puts back the pages that hold data of this
// rank's own segments, which a person with a debugger looks for.
//
// A client that handles fatal signals itself, or leaves them to the system (GASNET_NO_CATCH_SIGNAL), gets
// core files without segments.
#pragma once
#include <cstddef>

namespace aqueduct::job {

/// Registers [address, address + bytes), which maps the file from `offset` on: its used pages will be in a
/// core file. Any thread. If there are too many such ranges, the others are left out.
void keep_in_core_file(void* address, std::size_t bytes, int memory_fd, std::size_t offset);

/// The range at this offset of the file is no longer mapped.
void forget_in_core_file(std::size_t offset);

/// Puts the used pages of the registered ranges back. For signal handlers.
void prepare_core_file();

}  // namespace aqueduct::job
