// Whether memory is there: as the system has it, also in the middle of mappings and across them.
#include "papers/conduit/portals/mapped_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "base/types.hpp"

namespace aqueduct::conduit::portals {
namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(MappedMemory, HeapStackAndConstantsAreThere) {
  const std::vector<char> heap(100000);
  int stack = 0;
  static const char constant[] = "constant";
  EXPECT_TRUE(is_mapped(address_of(heap.data()), heap.size(), Access::kWrite));
  EXPECT_TRUE(is_mapped(address_of(&stack), sizeof stack, Access::kWrite));
  EXPECT_TRUE(is_mapped(address_of(constant), sizeof constant, Access::kRead));
  EXPECT_FALSE(is_mapped(address_of(constant), sizeof constant, Access::kWrite));
}

TEST(MappedMemory, WhatIsNotMappedOrNotForThatIsNotThere) {
  EXPECT_FALSE(is_mapped(0, 1, Access::kRead));
  EXPECT_FALSE(is_mapped(~std::uintptr_t{0} - 10, 100, Access::kRead));
  // Pages: writable, readable, neither, writable.
  auto* const pages = static_cast<char*>(
      ::mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ::mprotect(pages + kPage, kPage, PROT_READ);
  ::mprotect(pages + 2 * kPage, kPage, PROT_NONE);
  const std::uintptr_t base = address_of(pages);
  EXPECT_TRUE(is_mapped(base, kPage, Access::kWrite));
  EXPECT_TRUE(is_mapped(base + 5, 2 * kPage - 5, Access::kRead));
  EXPECT_FALSE(is_mapped(base + 5, 2 * kPage - 5, Access::kWrite));
  EXPECT_FALSE(is_mapped(base + kPage, kPage + 1, Access::kRead));
  EXPECT_FALSE(is_mapped(base, 4 * kPage, Access::kRead));
  EXPECT_TRUE(is_mapped(base + 3 * kPage, kPage, Access::kWrite));
  ::munmap(pages, 4 * kPage);
}

}  // namespace
}  // namespace aqueduct::conduit::portals
