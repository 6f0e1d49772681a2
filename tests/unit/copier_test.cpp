// Copies of every size, in line and by the function that the library chooses, are memcpy.
#include "base/copier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "aqueduct/detail/copy.h"

namespace aqueduct {
namespace {

constexpr std::size_t kMargin = 192;

/// Whether `copy` moves exactly `bytes` bytes from `from_offset` to `to_offset` behind the beginning of a
/// page, and touches nothing around.
template <class Copy>
bool moves_exactly(std::size_t bytes, std::size_t to_offset, std::size_t from_offset, const Copy& copy) {
  struct alignas(4096) Page {
    unsigned char bytes[16384];
  };
  static Page to;
  static const Page from = [] {
    Page page;
    for (std::size_t i = 0; i < sizeof page.bytes; ++i)
      page.bytes[i] = static_cast<unsigned char>(i * 7 + i / 251);
    return page;
  }();
  std::memset(to.bytes, 0xee, sizeof to.bytes);
  unsigned char* const target = to.bytes + kMargin + to_offset;
  const unsigned char* const source = from.bytes + kMargin + from_offset;
  copy(target, source, bytes);
  const auto is_untouched = [](unsigned char byte) { return byte == 0xee; };
  return std::equal(target, target + bytes, source) && std::all_of(target - kMargin, target, is_untouched) &&
         std::all_of(target + bytes, target + bytes + kMargin, is_untouched);
}

std::vector<std::size_t> interesting_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 0; bytes <= 1100; ++bytes) sizes.push_back(bytes);
  for (const std::size_t power : {2048, 4096, 8192}) {
    for (std::size_t bytes = power - 70; bytes <= power + 70; bytes += 5) sizes.push_back(bytes);
  }
  return sizes;
}

constexpr std::pair<std::size_t, std::size_t> kOffsets[] = {{0, 0}, {1, 0}, {0, 8}, {63, 64}, {33, 17}};

template <class Copy>
void expect_memcpy(const Copy& copy) {
  for (const std::size_t bytes : interesting_sizes()) {
    for (const auto& [to, from] : kOffsets) {
      ASSERT_TRUE(moves_exactly(bytes, to, from, copy))
          << bytes << " bytes to offset " << to << " from offset " << from;
    }
  }
}

TEST(Copier, IsMemcpyForEverySizeAndAlignment) { expect_memcpy(best_copier().copy); }

TEST(Copier, InlineCodeIsMemcpyWithAndWithoutVectors) {
  const auto copy_inline = [](void* to, const void* from, std::size_t bytes) { aq_copy_(to, from, bytes); };
  const aq_world_view_ before = aq_world_;
  aq_world_.copy_ = std::memcpy;
  aq_world_.vector_bytes_ = 0;
  expect_memcpy(copy_inline);
  aq_world_.copy_ = best_copier().copy;
  aq_world_.vector_bytes_ = best_copier().vector_bytes;
  expect_memcpy(copy_inline);
  aq_world_ = before;
}

TEST(Copier, WhatEveryPutReadsIsAtTheEndOfAPage) {
  EXPECT_GE(reinterpret_cast<std::uintptr_t>(&aq_world_.team_) % 4096, 4096u - 64);
  EXPECT_GE(reinterpret_cast<std::uintptr_t>(&aq_world_.copy_) % 4096, 4096u - 64);
}

}  // namespace
}  // namespace aqueduct
