// Reports of the checking allocator, line by line, for gasnett_heapinfo_dump and GASNET_MALLOCFILE.
#pragma once

namespace aqueduct::gasnet_tools {

/// Prints one line with the totals and, `with_blocks`, one for each live block. If the allocator's lock stays
/// taken, as may happen at the end of a process, it prints that instead.
void report_heap(bool with_blocks, void (*print)(void* to, const char* line), void* to);

}  // namespace aqueduct::gasnet_tools
