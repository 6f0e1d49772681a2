#include "aqueduct/tools/memory.h"

#include <sys/mman.h>

extern "C" {

void* gasnett_mmap(uintptr_t nbytes) {
  return mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

}  // extern "C"
