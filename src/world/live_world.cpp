#include "world/live_world.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include "fabric/shm/plane.hpp"
#include "job/core_file.hpp"
#include "job/shared_memory.hpp"
#include "job/shm_bootstrap.hpp"
#include "world/segment_limit.hpp"

namespace aqueduct::world {

namespace {

// A part of the job's shared memory.
class FileMemory final : public SharedMemory {
 public:
  FileMemory(int memory_fd, std::size_t place) : memory_fd_(memory_fd), place_(place) {}

  std::byte* map(std::size_t offset, std::size_t bytes) override {
    return static_cast<std::byte*>(job::try_map_shared(memory_fd_, place_ + offset, bytes));
  }
  void unmap(void* mapped, std::size_t bytes) override { ::munmap(mapped, bytes); }
  void drop(std::size_t offset, std::size_t bytes) override {
    job::forget_in_core_file(place_ + offset);
    ::fallocate(memory_fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place_ + offset),
                static_cast<off_t>(bytes));
  }
  void keep_in_core_file(void* mapped, std::size_t offset, std::size_t bytes) override {
    job::keep_in_core_file(mapped, bytes, memory_fd_, place_ + offset);
  }

 private:
  int memory_fd_;
  std::size_t place_;
};

}  // namespace

World& live() {
  // Never destroyed: threads may be inside the library until the very last moment.
  static LiveWorld& world = *new LiveWorld;
  return world;
}

WaitPolicy LiveWorld::wait_policy(bool threaded) {
  return WaitPolicy::choose(place().machine_ranks, place().cores, threaded);
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

std::unique_ptr<SharedMemory> LiveWorld::open_neighbourhood(job::HostId neighbourhood, std::size_t bytes) {
  return std::make_unique<FileMemory>(place().memory_fd,
                                      job::kNeighbourhoodPlace + neighbourhood * round_up(bytes, kPage));
}

void* LiveWorld::segment_memory(std::size_t bytes) {
  void* mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void LiveWorld::free_segment_memory(void* memory, std::size_t bytes) { ::munmap(memory, bytes); }

std::size_t LiveWorld::max_segment_bytes() { return world::max_segment_bytes(place().machine_ranks); }
std::size_t LiveWorld::segment_span() { return world::segment_span(); }

std::shared_ptr<fabric::Port> LiveWorld::open_port(fabric::Plane plane) {
  return fabric::shm::open_port(place(), plane);
}

}  // namespace aqueduct::world
