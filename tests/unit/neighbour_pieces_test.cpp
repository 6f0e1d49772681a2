// What vis.h leaves to the library for a neighbour: copies of pieces that all lie in its memory, and refusals
// of all others. The neighbour is a view of a buffer here.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "gasnet_vis.h"

namespace {

constexpr std::size_t kSize = 8192, kGuard = 4096;
constexpr std::uintptr_t kBase = 0x40000000;  // where the neighbour's memory begins for itself

/// Bytes of which two neighbouring ones seldom are the same.
std::vector<unsigned char> pattern(std::size_t bytes) {
  static const std::vector<unsigned char> kPattern = [] {
    std::vector<unsigned char> made(4 * kSize);
    std::mt19937 random(1);
    for (unsigned char& byte : made) byte = static_cast<unsigned char>(random());
    return made;
  }();
  return {kPattern.begin(), kPattern.begin() + static_cast<std::ptrdiff_t>(bytes)};
}

/// The neighbour's memory with a guard on each side, and ours.
struct Memory {
  std::vector<unsigned char> theirs = pattern(kSize + 2 * kGuard);
  std::vector<unsigned char> ours = pattern(4 * kSize);
  aq_peer_view_ peer{};

  Memory() {
    peer.base_ = kBase;
    peer.size_ = kSize;
    peer.shift_ =
        static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(theirs.data() + kGuard) - kBase);
  }
  static void* at(std::ptrdiff_t offset) { return reinterpret_cast<void*>(kBase + offset); }
  unsigned char* here(std::ptrdiff_t offset) { return theirs.data() + kGuard + offset; }
  unsigned char* own() { return ours.data() + 2 * kSize; }
};

/// One side of a strided transfer that fits into some memory: from `low` to `high` around its first element.
struct Side {
  std::vector<std::ptrdiff_t> strides;
  std::ptrdiff_t low = 0, high = 0;
};
Side random_side(std::mt19937& random, std::size_t element, const std::vector<std::size_t>& counts) {
  Side side;
  auto next = static_cast<std::ptrdiff_t>(element);
  side.high = next;
  for (const std::size_t count : counts) {
    next += static_cast<std::ptrdiff_t>(random() % 3 == 0 ? random() % 9 : 0);
    const std::ptrdiff_t stride = random() % 4 == 0 ? -next : next;
    side.strides.push_back(stride);
    const std::ptrdiff_t span = stride * static_cast<std::ptrdiff_t>(count - 1);
    (span < 0 ? side.low : side.high) += span;
    next *= static_cast<std::ptrdiff_t>(count);
  }
  return side;
}

/// Calls visit(offset) of each element on both sides.
template <class Visit>
void for_each_element(const std::vector<std::size_t>& counts, const Side& a, const Side& b,
                      const Visit& visit) {
  std::size_t all = 1;
  for (const std::size_t count : counts) all *= count;
  for (std::size_t element = 0; element < all; ++element) {
    std::ptrdiff_t in_a = 0, in_b = 0;
    std::size_t index = element;
    for (std::size_t level = 0; level < counts.size(); index /= counts[level++]) {
      in_a += static_cast<std::ptrdiff_t>(index % counts[level]) * a.strides[level];
      in_b += static_cast<std::ptrdiff_t>(index % counts[level]) * b.strides[level];
    }
    visit(in_a, in_b);
  }
}

TEST(NeighbourPieces, StridedTransfersMoveTheirElementsAndNothingElse) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t sizes[] = {1, 2, 4, 7, 8, 16, 31, 64, 65, 128, 129, 200};
    const std::size_t element = sizes[random() % std::size(sizes)];
    std::vector<std::size_t> counts(random() % 4);
    for (std::size_t& count : counts) count = 1 + random() % 3;
    const Side remote = random_side(random, element, counts), local = random_side(random, element, counts);
    // At the beginning of the neighbour's memory, at its end, and one byte outside of each.
    for (const std::ptrdiff_t first :
         {-remote.low, static_cast<std::ptrdiff_t>(kSize) - remote.high, -remote.low - 1,
          static_cast<std::ptrdiff_t>(kSize) - remote.high + 1}) {
      const bool lies_within =
          first + remote.low >= 0 && first + remote.high <= static_cast<std::ptrdiff_t>(kSize);
      Memory put, get, expected_put, expected_get;
      if (lies_within) {
        for_each_element(counts, remote, local, [&](std::ptrdiff_t theirs, std::ptrdiff_t ours) {
          std::memcpy(expected_put.here(first + theirs), expected_put.own() + ours, element);
          std::memcpy(expected_get.own() + ours, expected_get.here(first + theirs), element);
        });
      }
      EXPECT_EQ(aq_vis_put_elements_(&put.peer, Memory::at(first), remote.strides.data(), put.own(),
                                     local.strides.data(), element, counts.data(), counts.size()),
                lies_within);
      EXPECT_EQ(aq_vis_get_elements_(&get.peer, get.own(), local.strides.data(), Memory::at(first),
                                     remote.strides.data(), element, counts.data(), counts.size()),
                lies_within);
      ASSERT_EQ(put.theirs, expected_put.theirs) << "round " << round;
      ASSERT_EQ(get.ours, expected_get.ours) << "round " << round;
    }
  }
}

TEST(NeighbourPieces, StridedTransfersOfNothingOrOfMoreThanMemoryHoldsAreRefused) {
  Memory memory;
  const auto refuses = [&](std::size_t element, std::vector<std::size_t> counts,
                           std::vector<std::ptrdiff_t> strides) {
    const std::vector<std::ptrdiff_t> dense(counts.size(), static_cast<std::ptrdiff_t>(element));
    return aq_vis_put_elements_(&memory.peer, Memory::at(0), strides.data(), memory.own(), dense.data(),
                                element, counts.data(), counts.size()) == 0 &&
           aq_vis_get_elements_(&memory.peer, memory.own(), dense.data(), Memory::at(0), strides.data(),
                                element, counts.data(), counts.size()) == 0;
  };
  constexpr std::size_t kMost = ~std::size_t{0};
  constexpr std::ptrdiff_t kFarthest = PTRDIFF_MAX;
  EXPECT_TRUE(refuses(0, {}, {}));
  EXPECT_TRUE(refuses(0, {2}, {8}));
  EXPECT_TRUE(refuses(8, {0}, {16}));
  EXPECT_TRUE(refuses(8, {2, 0}, {16, 64}));
  EXPECT_TRUE(refuses(8, {0, 2}, {8, 64}));
  EXPECT_TRUE(refuses(8, {2}, {kFarthest}));
  EXPECT_TRUE(refuses(8, {3}, {kFarthest}));
  EXPECT_TRUE(refuses(8, {2}, {-kFarthest - 1}));
  EXPECT_TRUE(refuses(8, {kMost}, {16}));
  EXPECT_TRUE(refuses(8, {kMost / 2 + 2}, {0}));
  EXPECT_TRUE(refuses(8, {kMost / 4}, {0}));
  EXPECT_TRUE(refuses(kMost, {}, {}));
  EXPECT_TRUE(refuses(kMost, {2}, {1}));
  EXPECT_TRUE(refuses(kMost / 2 + 2, {2}, {8}));
}

TEST(NeighbourPieces, ListsMoveTheirPiecesAndNothingElse) {
  for (std::size_t bytes = 0; bytes <= 300; bytes += bytes < 140 ? 1 : 31) {
    constexpr std::size_t kPieces = 3;
    const auto end = static_cast<std::ptrdiff_t>(kSize - bytes);
    for (const std::ptrdiff_t last : {end, end + 1, std::ptrdiff_t{-1}}) {
      const bool lies_within = last >= 0 && last <= end;
      const std::ptrdiff_t offsets[kPieces] = {0, 1000, last};
      Memory put, get, expected_put, expected_get;
      void *remote[kPieces], *put_local[kPieces], *get_local[kPieces];
      gex_Memvec_t remote_vector[kPieces], put_vector[kPieces], get_vector[kPieces];
      for (std::size_t i = 0; i < kPieces; ++i) {
        remote[i] = Memory::at(offsets[i]);
        put_local[i] = put.own() + i * 400;
        get_local[i] = get.own() + i * 400;
        remote_vector[i] = {remote[i], bytes};
        put_vector[i] = {put_local[i], bytes};
        get_vector[i] = {get_local[i], bytes};
        if (i == kPieces - 1 && !lies_within) break;  // the pieces before may have been copied
        std::memcpy(expected_put.here(offsets[i]), expected_put.own() + i * 400, bytes);
        std::memcpy(expected_get.own() + i * 400, expected_get.here(offsets[i]), bytes);
      }
      for (const bool by_vector : {false, true}) {
        EXPECT_EQ(by_vector ? aq_vis_put_memvecs_(&put.peer, remote_vector, put_vector, kPieces)
                            : aq_vis_put_pieces_(&put.peer, remote, put_local, kPieces, bytes),
                  lies_within);
        EXPECT_EQ(by_vector ? aq_vis_get_memvecs_(&get.peer, get_vector, remote_vector, kPieces)
                            : aq_vis_get_pieces_(&get.peer, get_local, remote, kPieces, bytes),
                  lies_within);
        ASSERT_EQ(put.theirs, expected_put.theirs) << bytes << " bytes";
        ASSERT_EQ(get.ours, expected_get.ours) << bytes << " bytes";
      }
    }
  }
  Memory memory;
  const gex_Memvec_t remote[] = {{Memory::at(0), 8}}, local[] = {{memory.own(), 9}};
  EXPECT_EQ(aq_vis_put_memvecs_(&memory.peer, remote, local, 1), 0) << "lengths that differ";
}

}  // namespace
