#include "fabric/shm/plane.hpp"

#include "job/place/shared_memory.hpp"

namespace aqueduct::fabric::shm {
namespace {

constexpr std::size_t kPlaneBytes = std::size_t{1} << 40;

}  // namespace

std::unique_ptr<ShmPort> open_port(const job::Membership& membership, Plane plane) {
  const std::size_t bytes = ShmPort::bytes_for(membership.size);
  const std::size_t place = job::kFabricPlace + static_cast<std::size_t>(plane) * kPlaneBytes;
  void* memory = job::map_shared(membership.memory_fd, place, bytes, "the rings of the fabric");
  return std::make_unique<ShmPort>(static_cast<std::byte*>(memory), membership.rank, membership.size);
}

}  // namespace aqueduct::fabric::shm
