// Put and get: every size and alignment, to every rank, in every style of completion.
#include "support/rma.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

constexpr unsigned char kGuard = 0xA5;
constexpr std::size_t kMargin = 16;  // guard bytes on either side of a transfer
constexpr std::size_t kMebi = std::size_t{1} << 20;

class Rma : public Spmd, public ::testing::WithParamInterface<Style> {};

struct Shape {
  std::size_t bytes, local_skew, remote_skew;
};

// Small sizes in all alignments; sizes up to 256 in some; the neighbourhood of powers of two up to 1 MiB, or
// as far as the windows of many ranks go.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (std::size_t bytes = 0; bytes <= 17; ++bytes)
    for (std::size_t l = 0; l < 8; ++l)
      for (std::size_t r = 0; r < 8; ++r) all.push_back({bytes, l, r});
  auto random = shared_random();
  for (std::size_t bytes = 18; bytes <= 256; ++bytes) all.push_back({bytes, random() % 8, random() % 8});
  for (std::size_t power = 512; power <= kMebi; power *= 2)
    for (std::size_t bytes : {power - 1, power, power + 1}) {
      all.push_back({bytes, 0, 0});
      if (power <= 8192) all.push_back({bytes, random() % 8, random() % 8});
    }
  std::erase_if(all, [](const Shape& shape) { return shape.bytes + 2 * kMargin > window_bytes(); });
  return all;
}

// All shapes where there are one or two ranks. Where more take turns on few cores, one in four for the right
// neighbour and one in ten for everybody else, chosen anew for each.
std::vector<Shape> shapes_for(gex_Rank_t rank) {
  std::vector<Shape> chosen = shapes();
  if (job().size <= 2) return chosen;
  auto random = own_random();
  random.discard(rank);
  const unsigned one_in = rank == right() ? 4 : 10;
  std::erase_if(chosen, [&](const Shape&) { return random() % one_in != 0; });
  return chosen;
}

TEST_P(Rma, PutsLandExactlyWhereTheyAreSentAndNowhereElse) {
  std::vector<unsigned char> source(kMebi + 64), guard(kMebi + 64, kGuard), back(kMebi + 64);
  for (gex_Rank_t rank = 0; rank < job().size; ++rank)
    for (const Shape& shape : shapes_for(rank)) {
      std::byte* area = window(rank, job().rank);
      const std::size_t area_bytes = shape.bytes + 2 * kMargin;
      std::byte* to = area + kMargin / 2 + shape.remote_skew;
      const std::uint64_t key = key_of(job().rank, rank, shape.bytes);
      fill(source.data() + shape.local_skew, shape.bytes, key);
      put(Style::kBlocking, rank, area, guard.data(), area_bytes);
      put(GetParam(), rank, to, source.data() + shape.local_skew, shape.bytes);
      get(Style::kBlocking, back.data(), rank, area, area_bytes);
      const std::size_t before = kMargin / 2 + shape.remote_skew;
      ASSERT_TRUE(all_bytes_are(back.data(), before, kGuard)) << shape.bytes << " bytes to rank " << rank;
      ASSERT_TRUE(holds(back.data() + before, shape.bytes, key)) << shape.bytes << " bytes to rank " << rank;
      ASSERT_TRUE(
          all_bytes_are(back.data() + before + shape.bytes, area_bytes - before - shape.bytes, kGuard))
          << shape.bytes << " bytes to rank " << rank;
    }
}

TEST_P(Rma, GetsFetchExactlyWhatIsThereAndTouchNothingElse) {
  fill(window(job().rank, job().rank), kMebi + 64, key_of(job().rank, 4));
  barrier();
  std::vector<unsigned char> into(kMebi + 64);
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    const auto expected = patterned(kMebi + 64, key_of(rank, 4));
    for (const Shape& shape : shapes_for(rank)) {
      unsigned char* to = into.data() + kMargin + shape.local_skew;
      std::memset(to - kMargin, kGuard, shape.bytes + 2 * kMargin);
      get(GetParam(), to, rank, window(rank, rank) + shape.remote_skew, shape.bytes);
      ASSERT_EQ(std::memcmp(to, expected.data() + shape.remote_skew, shape.bytes), 0)
          << shape.bytes << " bytes from rank " << rank;
      ASSERT_TRUE(all_bytes_are(to - kMargin, kMargin, kGuard));
      ASSERT_TRUE(all_bytes_are(to + shape.bytes, kMargin, kGuard));
    }
  }
}

TEST_P(Rma, TheOwnerSeesEveryPutAfterABarrier) {
  const std::size_t piece = 1000;
  const std::uint32_t pieces = 64;
  for (gex_Rank_t rank = 0; rank < job().size; ++rank)
    for (std::uint32_t i = 0; i < pieces; ++i) {
      const auto source = patterned(piece, key_of(job().rank, rank, i));
      put(GetParam(), rank, window(rank, job().rank) + i * piece, source.data(), piece);
    }
  barrier();
  for (gex_Rank_t rank = 0; rank < job().size; ++rank)
    for (std::uint32_t i = 0; i < pieces; ++i)
      ASSERT_TRUE(holds(window(job().rank, rank) + i * piece, piece, key_of(rank, job().rank, i)));
}

TEST_P(Rma, TransfersOfSeveralMebibytesComeThrough) {
  const std::size_t bytes = window_bytes() - 3;
  const auto source = patterned(bytes, key_of(job().rank, 8));
  std::vector<unsigned char> back(bytes);
  put(GetParam(), right(), window(right(), job().rank) + 1, source.data(), bytes);
  get(GetParam(), back.data(), right(), window(right(), job().rank) + 1, bytes);
  EXPECT_EQ(std::memcmp(source.data(), back.data(), bytes), 0);
}

TEST_P(Rma, TheLocalSideMayLieInTheSegmentToo) {
  const std::size_t bytes = 5000;
  std::byte* mine = beyond_windows(job().rank);
  fill(mine, bytes, key_of(job().rank, 6));
  put(GetParam(), right(), window(right(), job().rank), mine, bytes);
  get(GetParam(), mine + bytes, right(), window(right(), job().rank), bytes);
  EXPECT_TRUE(holds(mine + bytes, bytes, key_of(job().rank, 6)));
}

TEST_P(Rma, TheLastByteOfTheSegmentCanBeReached) {
  if (job().rank == 0) {
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      const auto source = patterned(256, rank);
      unsigned char back[256];
      put(GetParam(), rank, remote(rank, kSegmentBytes - 256), source.data(), 256);
      get(GetParam(), back, rank, remote(rank, kSegmentBytes - 256), 256);
      EXPECT_TRUE(holds(back, 256, rank));
      get(GetParam(), back, rank, remote(rank, kSegmentBytes - 1), 1);
      EXPECT_EQ(back[0], source[255]);
    }
  }
}

using Offsets = Spmd;

TEST_F(Offsets, MayStandForAddressesOnEitherSide) {
  const std::size_t bytes = 100;
  const std::size_t mine = static_cast<std::size_t>(beyond_windows(job().rank) - local());
  const std::size_t theirs = static_cast<std::size_t>(window(right(), job().rank) - remote(right()));
  fill(local(mine), bytes, key_of(job().rank, 12));
  EXPECT_EQ(
      gex_RMA_PutBlocking(job().tm, right(), reinterpret_cast<void*>(theirs), reinterpret_cast<void*>(mine),
                          bytes, GEX_FLAG_SELF_SEG_OFFSET | GEX_FLAG_PEER_SEG_OFFSET),
      0);
  unsigned char back[bytes];
  get(Style::kBlocking, back, right(), window(right(), job().rank), bytes);
  EXPECT_TRUE(holds(back, bytes, key_of(job().rank, 12)));
  std::memset(back, 0, bytes);
  EXPECT_EQ(gex_RMA_GetBlocking(job().tm, back, right(), reinterpret_cast<void*>(theirs), bytes,
                                GEX_FLAG_PEER_SEG_OFFSET),
            0);
  EXPECT_TRUE(holds(back, bytes, key_of(job().rank, 12)));
}

INSTANTIATE_TEST_SUITE_P(Styles, Rma, ::testing::Values(Style::kBlocking, Style::kEvent, Style::kImplicit),
                         [](const auto& info) { return style_name(info.param); });

using Streams = Spmd;

// Most of them small, some larger, to all ranks in any order: a conduit may take them in different ways.
TEST_F(Streams, OfPutsAndGetsOfAllSizesComeThrough) {
  struct Piece {
    gex_Rank_t rank;
    std::size_t offset, bytes;
  };
  auto random = own_random();
  std::vector<std::size_t> filled(job().size);
  std::vector<Piece> pieces;
  while (pieces.size() < 3000) {
    const auto rank = static_cast<gex_Rank_t>(random() % job().size);
    const std::size_t bytes = random() % (random() % 16 == 0 ? 9000 : 200);
    if (filled[rank] + bytes > window_bytes()) break;
    pieces.push_back({rank, filled[rank], bytes});
    filled[rank] += bytes;
  }
  const std::size_t most = *std::max_element(filled.begin(), filled.end());
  std::vector<unsigned char> sources(job().size * most), back(job().size * most, kGuard);
  for (gex_Rank_t rank = 0; rank < job().size; ++rank)
    fill(sources.data() + rank * most, filled[rank], key_of(job().rank, rank, 11));
  const auto here = [&](std::vector<unsigned char>& memory, const Piece& piece) {
    return memory.data() + piece.rank * most + piece.offset;
  };
  for (const Piece& piece : pieces)
    gex_RMA_PutNBI(job().tm, piece.rank, window(piece.rank, job().rank) + piece.offset, here(sources, piece),
                   piece.bytes, GEX_EVENT_NOW, 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  for (const Piece& piece : pieces)
    gex_RMA_GetNBI(job().tm, here(back, piece), piece.rank, window(piece.rank, job().rank) + piece.offset,
                   piece.bytes, 0);
  gex_NBI_Wait(GEX_EC_GET, 0);
  for (const Piece& piece : pieces)
    ASSERT_EQ(std::memcmp(here(back, piece), here(sources, piece), piece.bytes), 0)
        << piece.bytes << " bytes at " << piece.offset << " of rank " << piece.rank;
}

using Values = Spmd;

TEST_F(Values, PutTheirLowOrderBytesAndGetThemBackZeroExtended) {
  for (gex_Rank_t rank = 0; rank < job().size; ++rank)
    for (std::size_t bytes = 1; bytes <= 8; ++bytes)
      for (std::size_t skew = 0; skew < 8; skew += rank == right() ? 1 : 7)
        for (Style style : {Style::kBlocking, Style::kEvent, Style::kImplicit}) {
          std::byte* area = window(rank, job().rank);
          const unsigned char guard[32] = {};
          unsigned char back[32];
          const gex_RMA_Value_t value = key_of(job().rank, bytes, skew) | 0x8080808080808080;
          put(Style::kBlocking, rank, area, guard, sizeof guard);
          switch (style) {
            case Style::kBlocking:
              ASSERT_EQ(gex_RMA_PutBlockingVal(job().tm, rank, area + 8 + skew, value, bytes, 0), 0);
              break;
            case Style::kEvent:
              gex_Event_Wait(gex_RMA_PutNBVal(job().tm, rank, area + 8 + skew, value, bytes, 0));
              break;
            case Style::kImplicit:
              ASSERT_EQ(gex_RMA_PutNBIVal(job().tm, rank, area + 8 + skew, value, bytes, 0), 0);
              gex_NBI_Wait(GEX_EC_PUT, 0);
              break;
          }
          get(Style::kBlocking, back, rank, area, sizeof back);
          ASSERT_TRUE(all_bytes_are(back, 8 + skew, 0));
          ASSERT_EQ(std::memcmp(back + 8 + skew, &value, bytes), 0) << "a little-endian machine";
          ASSERT_TRUE(all_bytes_are(back + 8 + skew + bytes, sizeof back - 8 - skew - bytes, 0));
          const gex_RMA_Value_t mask =
              bytes == 8 ? ~gex_RMA_Value_t{0} : (gex_RMA_Value_t{1} << (8 * bytes)) - 1;
          ASSERT_EQ(gex_RMA_GetBlockingVal(job().tm, rank, area + 8 + skew, bytes, 0), value & mask);
        }
}

}  // namespace
}  // namespace aqueduct::test
