// Room for the thread-local variables of programs, behind those of all objects (thread_area.hpp): linkers put
// common ones last. In a file of its own, because Clang's own assembler does not know the word.
#include "sim/process/thread_area.hpp"

#if defined(__x86_64__) && defined(__GLIBC__)
asm(".tls_common aqueduct_place_of_programs, 65536, 64");
static_assert(aqueduct::sim::process::ThreadArea::kMostProgramBytes == 65536);
#endif
