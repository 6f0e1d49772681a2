#include "papers/conduit/portals/mapped_memory.hpp"

#include <cstdio>
#include <memory>

namespace aqueduct::conduit::portals {

bool is_mapped(std::uintptr_t address, std::size_t bytes, Access access) {
  if (bytes == 0) return true;
  if (address + bytes < address) return false;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                             std::fclose);
  if (!maps) return true;
  // Sorted by address, so that what is mapped grows line by line; a path may be longer than the buffer.
  char line[256];
  std::uintptr_t covered = address;
  for (bool is_begin = true; std::fgets(line, sizeof line, maps.get());) {
    bool is_end = false;
    for (const char* c = line; *c; ++c) is_end |= *c == '\n';
    unsigned long begin, end;
    char rights[5];
    if (is_begin && std::sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3) {
      if (begin > covered) return false;
      const bool is_allowed = rights[0] == 'r' && (access == Access::kRead || rights[1] == 'w');
      if (end > covered) {
        if (!is_allowed) return false;
        covered = end;
        if (covered - address >= bytes) return true;
      }
    }
    is_begin = is_end;
  }
  return false;
}

}  // namespace aqueduct::conduit::portals
