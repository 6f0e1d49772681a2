#include "world/live_world.hpp"

#include <sched.h>
#include <sys/mman.h>

#include "fabric/shm/plane.hpp"
#include "job/shared_memory.hpp"
#include "job/shm_bootstrap.hpp"
#include "world/segment_limit.hpp"

namespace aqueduct::world {

World& live() {
  // Never destroyed: threads may be inside the library until the very last moment.
  static LiveWorld& world = *new LiveWorld;
  return world;
}

WaitPolicy LiveWorld::wait_policy(bool threaded) {
  return WaitPolicy::choose(place().size, place().cores, threaded);
}

void LiveWorld::rest(const char*) { ::sched_yield(); }

void LiveWorld::compute(std::uint64_t ns) {
  const std::uint64_t end = clock().now_ns() + ns;
  while (clock().now_ns() < end) {
  }
}

std::unique_ptr<job::Bootstrap> LiveWorld::make_bootstrap() {
  return std::make_unique<job::ShmBootstrap>(
      std::make_unique<job::FileRoom>(place().memory_fd, job::kBootstrapPlace), place().rank, place().size);
}

std::unique_ptr<job::SharedRoom> LiveWorld::open_key_room() {
  return std::make_unique<job::FileRoom>(place().memory_fd, job::kSegmentKeysPlace);
}

void* LiveWorld::segment_memory(std::size_t bytes) {
  void* mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void LiveWorld::free_segment_memory(void* memory, std::size_t bytes) { ::munmap(memory, bytes); }

std::size_t LiveWorld::max_segment_bytes() { return world::max_segment_bytes(place().size); }
std::size_t LiveWorld::segment_span() { return world::segment_span(); }

std::shared_ptr<fabric::Port> LiveWorld::open_port(fabric::Plane plane) {
  return fabric::shm::open_port(place(), plane);
}

}  // namespace aqueduct::world
