// Strided shapes in their simplest form, and how stretches of memory are described in messages of any size.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "extended/vis/stretch.hpp"

namespace aqueduct::extended::vis {
namespace {

StridedShape<1> shape_of(std::size_t element, const std::vector<std::size_t>& counts,
                         const std::vector<std::ptrdiff_t>& strides) {
  StridedShape<1> shape(element);
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_TRUE(shape.add(counts[i], {strides[i]}));
  return shape;
}

TEST(StridedShape, MergesWhatIsContiguous) {
  const auto whole = shape_of(8, {10, 1, 20}, {8, 12345, 80});
  EXPECT_EQ(whole.levels, 0u);
  EXPECT_EQ(whole.element, 1600u);
}

TEST(StridedShape, MergesADimensionThatContinuesTheOneInside) {
  const auto comb = shape_of(8, {10, 20, 3}, {16, 160, 4000});
  EXPECT_EQ(comb.levels, 2u);
  EXPECT_EQ(comb.element, 8u);
  EXPECT_EQ(comb.count[0], 200u);
  EXPECT_EQ(comb.stride[0][0], 16);
  EXPECT_EQ(comb.count[1], 3u);
  EXPECT_EQ(comb.bytes(), 8u * 600);
}

TEST(StridedShape, KeepsWhatIsContiguousOnOneSideOnly) {
  StridedShape<2> shape(8);
  EXPECT_TRUE(shape.add(10, {8, 16}));
  EXPECT_TRUE(shape.add(10, {80, 160}));
  EXPECT_EQ(shape.levels, 1u);
  EXPECT_EQ(shape.element, 8u);
  EXPECT_EQ(shape.count[0], 100u);
}

TEST(StridedShape, ExtendsFromItsLowestToItsHighestByte) {
  const auto shape = shape_of(4, {3, 5}, {-10, 100});
  const Extent extent = extent_of(shape, 0);
  EXPECT_EQ(extent.low, -20);
  EXPECT_EQ(extent.high, 404);
  EXPECT_FALSE(extent.too_large);
}

TEST(StridedShape, RefusesWhatNoMemoryHolds) {
  StridedShape<1> shape(8);
  bool fits = true;
  for (int i = 0; i < 100; ++i) fits &= shape.add(2, {1000 + i});
  EXPECT_FALSE(fits);
  EXPECT_EQ(shape_of(std::size_t{1} << 40, {std::size_t{1} << 40}, {7}).bytes(), 0u);
  EXPECT_TRUE(extent_of(shape_of(8, {std::size_t{1} << 40}, {std::ptrdiff_t{1} << 40}), 0).too_large);
}

// Describes a region stretch by stretch, gathers each as its target would, and compares all with the region.
template <class Description>
void expect_whole(const Description& description, std::size_t room_bytes, bool is_shared,
                  bool expect_list = false) {
  std::vector<std::byte> expected(description.bytes()), gathered;
  auto whole = description.walk({});
  pack(whole, expected.data(), expected.size());
  std::vector<std::byte> header(room_bytes);
  auto walk = description.walk({});
  while (walk.piece().bytes != 0) {
    const Stretch stretch = describe(walk, header.data(), {room_bytes, is_shared});
    ASSERT_GT(stretch.payload_bytes, 0u);
    ASSERT_LE(stretch.payload_bytes, room_bytes);
    ASSERT_LE(stretch.header_bytes + (is_shared ? stretch.payload_bytes : 0), room_bytes);
    if (expect_list) {
      ASSERT_EQ(stretch.levels, Stretch::kList);
    }
    move_described(stretch, header.data(), [&](const Piece& piece) {
      gathered.insert(gathered.end(), piece.address, piece.address + piece.bytes);
    });
  }
  EXPECT_TRUE(gathered == expected) << room_bytes;
}

class Stretches : public ::testing::Test {
 protected:
  Stretches() : memory(100'000) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 31 + i / 256);
  }
  std::vector<std::byte> memory;
};

TEST_F(Stretches, OfStridedRegionsCoverThemOnce) {
  const StridedRegion region{memory.data() + 50'000, shape_of(24, {7, 11, 5}, {-40, 900, 9000 - 40})};
  for (const std::size_t room : {512, 513, 1000, 65536})
    for (const bool is_shared : {false, true}) expect_whole(region, room, is_shared);
}

TEST_F(Stretches, OfElementsLargerThanAMessageCoverThemOnce) {
  const StridedRegion region{memory.data(), shape_of(5000, {3, 3}, {10'000, 31'000})};
  for (const bool is_shared : {false, true}) expect_whole(region, 512, is_shared);
}

TEST_F(Stretches, OfShapesThatFillAMessageAreLists) {
  StridedRegion region{memory.data(), StridedShape<1>(1)};
  for (unsigned i = 0; i < 15; ++i) ASSERT_TRUE(region.shape.add(2, {std::ptrdiff_t{3} << i}));
  ASSERT_EQ(region.shape.levels, 1u) << "all continue each other";
  region.shape = StridedShape<1>(1);
  for (unsigned i = 0; i < 15; ++i) ASSERT_TRUE(region.shape.add(2, {std::ptrdiff_t{3} << (14 - i)}));
  ASSERT_EQ(region.shape.levels, 15u);
  for (const bool is_shared : {false, true}) expect_whole(region, 512, is_shared, true);
}

TEST_F(Stretches, OfListsCoverThemOnce) {
  std::vector<gex_Memvec_t> entries;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t bytes = i % 7 == 0 ? 0 : i % 11 == 0 ? 1500 : i;
    entries.push_back({bytes == 0 ? nullptr : memory.data() + i * 313, bytes});
  }
  for (const std::size_t room : {512, 700, 65536})
    for (const bool is_shared : {false, true})
      expect_whole(MemvecList{entries.data(), entries.size()}, room, is_shared, true);
}

}  // namespace
}  // namespace aqueduct::extended::vis
