/* Linked first into programs by the makefile fragments: moves their data away from the beginning of a page.
 *
 * The linker begins a program's data with a page, and so do segments and most buffers. A processor holds up a
 * load whose address has the same last 12 bits as a store under way, so that a program which keeps its team
 * or its addresses in global variables waited at puts of 64 bytes and more. The same as base/zeroed_array.hpp
 * does for the tables of the library. */
static char room[2048] __attribute__((used)) = {1};
