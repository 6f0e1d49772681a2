// What the checking allocator knows, line by line: for gasnett_heapinfo_dump and for GASNET_MALLOCFILE.
#pragma once

namespace aqueduct::gasnet_tools {

/// Prints one line of how much there is and has been and, if asked to, one for each live block; says so where
/// the allocator's lock does not come free within a moment, as at the end of a process it may never do.
void report_heap(bool with_blocks, void (*print)(void* to, const char* line), void* to);

}  // namespace aqueduct::gasnet_tools
