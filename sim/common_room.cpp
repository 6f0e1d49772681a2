#include "sim/common_room.hpp"

#include <sys/mman.h>

#include <cerrno>

#include "base/fatal.hpp"

namespace aqueduct::sim {

CommonRoom::CommonRoom() : file_(job::create_shared_memory()) {
  if (!file_) fatal("simulation", "%s", job::why_not_created(errno).c_str());
}

CommonRoom::~CommonRoom() {
  for (const auto& [offset, parts] : parts_) {
    for (const Part& part : parts) ::munmap(part.memory, part.bytes);
  }
}

std::byte* CommonRoom::map(std::size_t offset, std::size_t bytes) {
  std::vector<Part>& parts = parts_[offset];
  if (parts.empty() || parts.back().bytes < bytes) {
    void* memory = job::map_shared(file_.get(), offset, bytes, "memory of the bootstrap or of segment keys");
    parts.push_back({static_cast<std::byte*>(memory), bytes});
  }
  return parts.back().memory;
}

}  // namespace aqueduct::sim
