// What programs call through the linker's option --wrap, which the package's link options set.
//
// _gfortran_set_options is called by main() and installs handlers that print a backtrace, for SIGQUIT as
// well. A rank that ends because another one did gets SIGQUIT if it has a handler for it, and would print a
// backtrace for each.
//
// free() and realloc(). The compiler frees components of coarrays by them where an assignment replaces an
// object, although it has allocated them by _gfortran_caf_register: programs are linked with
// --wrap=free,--wrap=realloc, and what lies in the segment goes back to its heap.
#include <csignal>
#include <cstddef>
#include <cstring>

#include "clients/caf/heap.hpp"
#include "clients/caf/job.hpp"

using namespace aqueduct::caf;

extern "C" {
// The linker's names for those of the C library; not there, and not needed, in a program that is linked
// without these options.
void __real_free(void* memory) __attribute__((weak));
void* __real_realloc(void* memory, std::size_t bytes) __attribute__((weak));
void __real__gfortran_set_options(int count, int* options) __attribute__((weak));

__attribute__((visibility("default"))) void __wrap__gfortran_set_options(int count, int* options) {
  __real__gfortran_set_options(count, options);
  std::signal(SIGQUIT, SIG_DFL);
}

__attribute__((visibility("default"))) void __wrap_free(void* memory) {
  if (job.is_up && is_in_segment(memory))
    local_heap.free(memory);
  else
    __real_free(memory);
}

__attribute__((visibility("default"))) void* __wrap_realloc(void* memory, std::size_t bytes) {
  if (!job.is_up || !is_in_segment(memory)) return __real_realloc(memory, bytes);
  const std::size_t held = LocalHeap::usable_bytes(memory);
  if (bytes <= held) return memory;
  void* const moved = local_heap.allocate(bytes);
  if (!moved) return nullptr;
  std::memcpy(moved, memory, held);
  local_heap.free(memory);
  return moved;
}
}
