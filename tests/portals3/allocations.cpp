#include "portals3/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> count{0};
std::atomic<std::uint64_t> bytes_in_all{0};

void* allocate(std::size_t bytes) {
  count.fetch_add(1, std::memory_order_relaxed);
  bytes_in_all.fetch_add(bytes, std::memory_order_relaxed);
  return std::malloc(bytes);
}

}  // namespace

namespace aqueduct::test {
std::uint64_t allocations() { return count.load(); }
std::uint64_t allocated_bytes() { return bytes_in_all.load(); }
}  // namespace aqueduct::test

void* operator new(std::size_t bytes) {
  void* memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
