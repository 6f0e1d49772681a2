// Vector, indexed and strided put and get: random shapes against a model that moves one byte at a time.
#include <gasnet_vis.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "support/pattern.hpp"
#include "support/random.hpp"
#include "support/rma.hpp"
#include "support/split_team.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Vis = Spmd;

// How much memory either side of a random transfer lies in.
constexpr std::size_t kArea = 48 << 10;

std::size_t below(Random& random, std::size_t end) { return static_cast<std::size_t>(random() % end); }
std::size_t between(Random& random, std::size_t least, std::size_t most) {
  return least + below(random, most - least + 1);
}

// One side of a transfer: what the call is told, relative to an area, and the offset in the area of every
// byte in order.
struct Side {
  std::vector<std::size_t> offsets;
  std::vector<std::pair<std::size_t, std::size_t>> pieces;  // of lists: offset and length
  std::size_t length = 0;                                   // of every piece of an indexed list
  std::size_t base = 0;                                     // of a strided region
  std::vector<std::ptrdiff_t> strides;

  void add_piece(std::size_t offset, std::size_t bytes) {
    pieces.emplace_back(offset, bytes);
    for (std::size_t i = 0; i < bytes; ++i) offsets.push_back(offset + i);
  }
  std::vector<gex_Memvec_t> memvecs(std::byte* area) const {
    std::vector<gex_Memvec_t> list;
    for (const auto& [offset, bytes] : pieces) list.push_back({bytes == 0 ? nullptr : area + offset, bytes});
    return list;
  }
  std::vector<void*> addresses(std::byte* area) const {
    std::vector<void*> list;
    for (const auto& [offset, bytes] : pieces) list.push_back(area + offset);
    return list;
  }
};

enum class Form { kVector, kIndexed, kStrided };

struct Shape {
  Form form;
  Side to, from;
  std::size_t element = 0;  // of strided ones
  std::vector<std::size_t> counts{};
};

// Pieces that do not touch each other, in any order; some without bytes.
Side separate_pieces(Random& random) {
  Side side;
  const std::size_t count = random() % 4 == 0 ? 1 : between(random, 0, random() % 4 == 0 ? 300 : 20);
  std::vector<std::size_t> slots(count);
  for (std::size_t i = 0; i < count; ++i) slots[i] = i;
  std::shuffle(slots.begin(), slots.end(), random);
  for (const std::size_t slot : slots) {
    const std::size_t room = kArea / count;
    const std::size_t skip = below(random, room);
    const std::size_t longest = std::min(room - skip, random() % 3 == 0 ? room : std::size_t{20});
    side.add_piece(slot * room + skip, random() % 10 == 0 ? 0 : between(random, 0, longest));
  }
  return side;
}

Shape random_vector(Random& random) {
  Shape shape{Form::kVector, separate_pieces(random), {}};
  std::size_t left = shape.to.offsets.size();
  // Often the sides have pieces of the same lengths, at least the first ones.
  std::size_t alike = random() % 2 == 0 ? 0 : shape.to.pieces.size();
  if (random() % 4 == 0) alike /= 2;
  for (std::size_t i = 0; i < alike; ++i) {
    const std::size_t bytes = shape.to.pieces[i].second;
    shape.from.add_piece(below(random, kArea - bytes + 1), bytes);
    left -= bytes;
  }
  while (left > 0) {
    const std::size_t bytes = std::min(left, between(random, 0, random() % 3 == 0 ? 3000 : 30));
    shape.from.add_piece(below(random, kArea - bytes), bytes);
    left -= bytes;
  }
  return shape;
}

// The lengths of the two sides have a common divisor, and each side has as many pieces as it needs.
Shape random_indexed(Random& random) {
  Shape shape{Form::kIndexed, {}, {}};
  const std::size_t unit = between(random, 1, random() % 3 == 0 ? 500 : 9);
  const std::size_t a = between(random, 1, 4), b = random() % 2 == 0 ? a : between(random, 1, 4);
  shape.to.length = a * unit;
  shape.from.length = b * unit;
  const std::size_t most = kArea / (a * b * unit);
  const std::size_t times = between(random, 0, std::min<std::size_t>(most, 60));
  std::vector<std::size_t> slots(kArea / shape.to.length);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = i;
  std::shuffle(slots.begin(), slots.end(), random);
  for (std::size_t i = 0; i < times * b; ++i) shape.to.add_piece(slots[i] * shape.to.length, shape.to.length);
  for (std::size_t i = 0; i < times * a; ++i)
    shape.from.add_piece(below(random, kArea - shape.from.length), shape.from.length);
  return shape;
}

// Lays the dimensions out in any order, with gaps between some, forwards or backwards; answers how much
// memory that takes.
std::size_t lay_out(Random& random, Side& side, std::size_t element, const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> order(counts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  const auto gap = [&] { return random() % 2 == 0 ? 0 : below(random, 10); };
  std::size_t span = element + gap();
  side.strides.assign(counts.size(), 0);
  side.base = 0;
  for (const std::size_t dimension : order) {
    const std::size_t count = std::max<std::size_t>(counts[dimension], 1);
    side.strides[dimension] = static_cast<std::ptrdiff_t>(span);
    if (random() % 4 == 0) {
      side.strides[dimension] = -side.strides[dimension];
      side.base += (count - 1) * span;
    }
    span = span * count + gap();
  }
  return span;
}

void list_bytes(Side& side, std::size_t element, const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> at(counts.size(), 0);
  for (const std::size_t count : counts)
    if (count == 0) return;
  while (true) {
    std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(side.base);
    for (std::size_t i = 0; i < counts.size(); ++i)
      offset += static_cast<std::ptrdiff_t>(at[i]) * side.strides[i];
    for (std::size_t i = 0; i < element; ++i) side.offsets.push_back(static_cast<std::size_t>(offset) + i);
    std::size_t dimension = 0;
    while (dimension < counts.size() && ++at[dimension] == counts[dimension]) at[dimension++] = 0;
    if (dimension == counts.size()) return;
  }
}

Shape random_strided(Random& random) {
  const std::size_t sizes[] = {1, 2, 4, 8, 16, between(random, 1, 70), between(random, 1, 5000)};
  Shape shape{Form::kStrided, {}, {}};
  shape.element = random() % 30 == 0 ? 0 : sizes[below(random, std::size(sizes))];
  const std::size_t levels = between(random, 0, random() % 5 == 0 ? 12 : 4);
  std::size_t bytes = 2 * shape.element;
  for (std::size_t i = 0; i < levels; ++i) {
    std::size_t count = random() % 100 == 0 ? 0 : between(random, 1, random() % 4 == 0 ? 40 : 4);
    if (bytes * count > kArea / 8) count = 1;
    shape.counts.push_back(count);
    bytes *= std::max<std::size_t>(count, 1);
  }
  // A layout may need more room than the area has, because of its gaps: another has fewer.
  for (Side* side : {&shape.to, &shape.from}) {
    std::size_t span;
    while ((span = lay_out(random, *side, shape.element, shape.counts)) > kArea) continue;
    side->base += below(random, kArea - span + 1);
  }
  // Sources may overlap themselves.
  if (random() % 4 == 0 && levels > 0) {
    std::ptrdiff_t& stride = shape.from.strides[below(random, levels)];
    if (stride > 0) stride = static_cast<std::ptrdiff_t>(below(random, static_cast<std::size_t>(stride) + 1));
  }
  list_bytes(shape.to, shape.element, shape.counts);
  list_bytes(shape.from, shape.element, shape.counts);
  return shape;
}

Shape random_shape(Random& random) {
  switch (random() % 4) {
    case 0:
      return random_vector(random);
    case 1:
      return random_indexed(random);
    default:
      return random_strided(random);
  }
}

struct Started {
  gex_Event_t event = GEX_EVENT_INVALID;
  bool refused = false;
  // What the call refers to until it is complete.
  std::vector<gex_Memvec_t> to_memvecs, from_memvecs;
  std::vector<void*> to_addresses, from_addresses;
};

// Starts the transfer in one of three ways. `started` must live until it is complete.
#define AQT_CALL(FORM, DIRECTION, ...)                                         \
  switch (style) {                                                             \
    case Style::kBlocking:                                                     \
      started.refused = gex_VIS_##FORM##DIRECTION##Blocking(__VA_ARGS__) != 0; \
      break;                                                                   \
    case Style::kImplicit:                                                     \
      started.refused = gex_VIS_##FORM##DIRECTION##NBI(__VA_ARGS__) != 0;      \
      break;                                                                   \
    case Style::kEvent:                                                        \
      started.event = gex_VIS_##FORM##DIRECTION##NB(__VA_ARGS__);              \
      started.refused = started.event == GEX_EVENT_NO_OP;                      \
  }
void start_put(Started& started, Style style, gex_TM_t tm, gex_Rank_t rank, const Shape& shape,
               std::byte* to_area, std::byte* from_area, gex_Flags_t flags) {
  const Side &to = shape.to, &from = shape.from;
  started.to_memvecs = to.memvecs(to_area), started.from_memvecs = from.memvecs(from_area);
  started.to_addresses = to.addresses(to_area), started.from_addresses = from.addresses(from_area);
  switch (shape.form) {
    case Form::kVector:
      AQT_CALL(Vector, Put, tm, rank, to.pieces.size(), started.to_memvecs.data(), from.pieces.size(),
               started.from_memvecs.data(), flags)
      break;
    case Form::kIndexed:
      AQT_CALL(Indexed, Put, tm, rank, to.pieces.size(), started.to_addresses.data(), to.length,
               from.pieces.size(), started.from_addresses.data(), from.length, flags)
      break;
    case Form::kStrided: {
      // The call is given copies that do not outlive it.
      auto to_strides = to.strides, from_strides = from.strides;
      auto counts = shape.counts;
      AQT_CALL(Strided, Put, tm, rank, to_area + to.base, to_strides.data(), from_area + from.base,
               from_strides.data(), shape.element, counts.data(), counts.size(), flags)
      std::ranges::fill(counts, 77), std::ranges::fill(to_strides, -1), std::ranges::fill(from_strides, -1);
    }
  }
}
void start_get(Started& started, Style style, gex_TM_t tm, gex_Rank_t rank, const Shape& shape,
               std::byte* to_area, std::byte* from_area, gex_Flags_t flags) {
  const Side &to = shape.to, &from = shape.from;
  started.to_memvecs = to.memvecs(to_area), started.from_memvecs = from.memvecs(from_area);
  started.to_addresses = to.addresses(to_area), started.from_addresses = from.addresses(from_area);
  switch (shape.form) {
    case Form::kVector:
      AQT_CALL(Vector, Get, tm, to.pieces.size(), started.to_memvecs.data(), rank, from.pieces.size(),
               started.from_memvecs.data(), flags)
      break;
    case Form::kIndexed:
      AQT_CALL(Indexed, Get, tm, to.pieces.size(), started.to_addresses.data(), to.length, rank,
               from.pieces.size(), started.from_addresses.data(), from.length, flags)
      break;
    case Form::kStrided: {
      auto to_strides = to.strides, from_strides = from.strides;
      auto counts = shape.counts;
      AQT_CALL(Strided, Get, tm, to_area + to.base, to_strides.data(), rank, from_area + from.base,
               from_strides.data(), shape.element, counts.data(), counts.size(), flags)
      std::ranges::fill(counts, 77), std::ranges::fill(to_strides, -1), std::ranges::fill(from_strides, -1);
    }
  }
}
#undef AQT_CALL

void apply_model(const Shape& shape, std::vector<std::byte>& to, const std::vector<std::byte>& from) {
  ASSERT_EQ(shape.to.offsets.size(), shape.from.offsets.size());
  for (std::size_t i = 0; i < shape.to.offsets.size(); ++i) {
    to[shape.to.offsets[i]] = from[shape.from.offsets[i]];
  }
}

std::string describe(const Shape& shape) {
  std::string text = shape.form == Form::kVector    ? "vector"
                     : shape.form == Form::kIndexed ? "indexed"
                                                    : "strided";
  text += ", " + std::to_string(shape.to.offsets.size()) + " bytes";
  if (shape.form != Form::kStrided) {
    return text + ", " + std::to_string(shape.to.pieces.size()) + " and " +
           std::to_string(shape.from.pieces.size()) + " pieces";
  }
  text += " in elements of " + std::to_string(shape.element);
  for (std::size_t i = 0; i < shape.counts.size(); ++i)
    text += " [" + std::to_string(shape.counts[i]) + ": " + std::to_string(shape.to.strides[i]) + ", " +
            std::to_string(shape.from.strides[i]) + "]";
  return text;
}

std::vector<std::byte> random_bytes(Random& random) {
  std::vector<std::byte> bytes(kArea);
  fill(bytes.data(), bytes.size(), random());
  return bytes;
}

Style any_style(Random& random) { return static_cast<Style>(random() % 3); }

void complete(Style style, Started& started, gex_EC_t category) {
  if (style == Style::kEvent) gex_Event_Wait(started.event);
  if (style == Style::kImplicit) gex_NBI_Wait(category, 0);
}

TEST_F(Vis, PutsMoveTheBytesThatTheyDescribe) {
  auto random = own_random();
  for (std::uint32_t round = 0; round < scaled(job().size > 2 ? 40 : 80); ++round) {
    const auto rank = static_cast<gex_Rank_t>(below(random, job().size));
    const Shape shape = random_shape(random);
    auto source = random_bytes(random), model = random_bytes(random);
    std::byte* area = window(rank, job().rank);
    put(Style::kBlocking, rank, area, model.data(), kArea);
    Started started;
    const Style style = any_style(random);
    start_put(started, style, job().tm, rank, shape, area, source.data(), 0);
    ASSERT_FALSE(started.refused);
    complete(style, started, GEX_EC_PUT);
    apply_model(shape, model, source);
    std::vector<std::byte> back(kArea);
    get(Style::kBlocking, back.data(), rank, area, kArea);
    ASSERT_TRUE(back == model) << "round " << round << ": " << style_name(style) << " " << describe(shape);
  }
}

TEST_F(Vis, GetsMoveTheBytesThatTheyDescribe) {
  auto random = own_random();
  for (std::uint32_t round = 0; round < scaled(job().size > 2 ? 40 : 80); ++round) {
    const auto rank = static_cast<gex_Rank_t>(below(random, job().size));
    const Shape shape = random_shape(random);
    auto remote_bytes = random_bytes(random), model = random_bytes(random);
    auto into = model;
    std::byte* area = window(rank, job().rank);
    put(Style::kBlocking, rank, area, remote_bytes.data(), kArea);
    Started started;
    const Style style = any_style(random);
    start_get(started, style, job().tm, rank, shape, into.data(), area, 0);
    ASSERT_FALSE(started.refused);
    complete(style, started, GEX_EC_GET);
    apply_model(shape, model, remote_bytes);
    ASSERT_TRUE(into == model) << "round " << round << ": " << style_name(style) << " " << describe(shape);
  }
}

// One piece, and three of the same length, of every small length and some larger ones; what is around them
// stays as it is.
TEST_F(Vis, PiecesOfEveryLengthAreMovedWhole) {
  constexpr std::size_t kPieces = 3, kApart = 700;
  auto random = own_random();
  for (std::size_t bytes = 0; bytes <= 600; bytes += bytes < 140 ? 1 : 23) {
    for (const std::size_t pieces : {std::size_t{1}, kPieces}) {
      const bool is_put = random() % 2 == 0;
      Shape shape{random() % 2 == 0 ? Form::kVector : Form::kIndexed, {}, {}};
      shape.to.length = shape.from.length = bytes;
      for (std::size_t i = 0; i < pieces; ++i) {
        shape.to.add_piece(i * kApart + below(random, 60), bytes);
        shape.from.add_piece(i * kApart + below(random, 60), bytes);
      }
      auto source = random_bytes(random), model = random_bytes(random);
      auto into = model;
      std::byte* area = window(right(), job().rank);
      put(Style::kBlocking, right(), area, is_put ? model.data() : source.data(), kArea);
      Started started;
      const Style style = any_style(random);
      if (is_put) {
        start_put(started, style, job().tm, right(), shape, area, source.data(), 0);
      } else {
        start_get(started, style, job().tm, right(), shape, into.data(), area, 0);
      }
      complete(style, started, is_put ? GEX_EC_PUT : GEX_EC_GET);
      if (is_put) get(Style::kBlocking, into.data(), right(), area, kArea);
      apply_model(shape, model, source);
      ASSERT_TRUE(into == model) << style_name(style) << (is_put ? " put of " : " get of ")
                                 << describe(shape);
    }
  }
}

// Many at once, in both directions, started as they come: an immediate one may be refused, and then nothing
// of it happens.
TEST_F(Vis, ManyMayBeInFlight) {
  auto random = own_random();
  constexpr std::size_t kFlight = 12;
  const ReversedTeam team;
  for (std::uint32_t round = 0; round < scaled(8); ++round) {
    std::vector<Shape> shapes;
    std::vector<std::vector<std::byte>> sources, models, into(kFlight);
    std::vector<Started> started(kFlight);
    std::vector<gex_Event_t> events;
    for (std::size_t i = 0; i < kFlight; ++i) {
      shapes.push_back(random_shape(random));
      sources.push_back(random_bytes(random));
      models.push_back(random_bytes(random));
      std::byte* area = window(right(), job().rank) + i * kArea;
      put(Style::kBlocking, right(), area, i % 2 == 0 ? models[i].data() : sources[i].data(), kArea);
      into[i] = models[i];
    }
    const bool in_region = round % 2 == 0;
    if (in_region) gex_NBI_BeginAccessRegion(0);
    for (std::size_t i = 0; i < kFlight; ++i) {
      std::byte* area = window(right(), job().rank) + i * kArea;
      const Style style = random() % 2 == 0 ? Style::kEvent : Style::kImplicit;
      const gex_Flags_t flags = random() % 2 == 0 ? GEX_FLAG_IMMEDIATE : 0;
      const bool by_team = random() % 2 == 0;
      const gex_TM_t tm = by_team ? gex_TM_t{team} : job().tm;
      const gex_Rank_t rank = by_team ? team.rank_of(right()) : right();
      if (i % 2 == 0) {
        start_put(started[i], style, tm, rank, shapes[i], area, sources[i].data(), flags);
      } else {
        start_get(started[i], style, tm, rank, shapes[i], into[i].data(), area, flags);
      }
      if (started[i].refused) {
        EXPECT_NE(flags, 0u);
      } else {
        events.push_back(started[i].event);
        apply_model(shapes[i], models[i], sources[i]);
      }
    }
    if (in_region) {
      events.push_back(gex_NBI_EndAccessRegion(0));
    } else {
      gex_NBI_Wait(GEX_EC_PUT | GEX_EC_GET, 0);
    }
    gex_Event_WaitAll(events.data(), events.size(), 0);
    for (std::size_t i = 0; i < kFlight; ++i) {
      if (i % 2 == 0)
        get(Style::kBlocking, into[i].data(), right(), window(right(), job().rank) + i * kArea, kArea);
      ASSERT_TRUE(into[i] == models[i]) << "round " << round << ", " << i << ": " << describe(shapes[i]);
    }
  }
}

TEST_F(Vis, TheSourceOfAPutIsFreeWhenItsLeafIsDone) {
  auto random = own_random();
  for (std::uint32_t round = 0; round < scaled(30); ++round) {
    const Shape shape = random_shape(random);
    auto source = random_bytes(random), model = random_bytes(random);
    std::byte* area = window(right(), job().rank);
    put(Style::kBlocking, right(), area, model.data(), kArea);
    apply_model(shape, model, source);
    Started started;
    const bool by_event = round % 2 == 0;
    start_put(started, by_event ? Style::kEvent : Style::kImplicit, job().tm, right(), shape, area,
              source.data(), GEX_FLAG_ENABLE_LEAF_LC);
    if (by_event) {
      gex_Event_Wait(gex_Event_QueryLeaf(started.event, GEX_EC_LC));
    } else {
      gex_NBI_Wait(GEX_EC_LC, 0);
    }
    std::ranges::fill(source, std::byte{0xEE});
    complete(by_event ? Style::kEvent : Style::kImplicit, started, GEX_EC_PUT);
    std::vector<std::byte> back(kArea);
    get(Style::kBlocking, back.data(), right(), area, kArea);
    ASSERT_TRUE(back == model) << describe(shape);
  }
}

// Far more than one message holds, in elements of every size.
TEST_F(Vis, LargeMatricesAreTransposed) {
  for (const std::size_t element : {std::size_t{1}, std::size_t{8}, std::size_t{24}, std::size_t{3000}}) {
    const std::size_t rows = element > 1000 ? 15 : 170, columns = element > 1000 ? 20 : 190;
    const std::size_t bytes = rows * columns * element;
    ASSERT_LE(bytes, window_bytes());
    const auto matrix = patterned(bytes, key_of(job().rank, element));
    std::vector<unsigned char> back(bytes, 0);
    const std::size_t counts[] = {columns, rows};
    const auto e = static_cast<std::ptrdiff_t>(element);
    const std::ptrdiff_t by_rows[] = {e, e * static_cast<std::ptrdiff_t>(columns)};
    const std::ptrdiff_t by_columns[] = {e * static_cast<std::ptrdiff_t>(rows), e};
    std::byte* area = window(right(), job().rank);
    ASSERT_EQ(
        gex_VIS_StridedPutBlocking(job().tm, right(), area, by_columns,
                                   const_cast<unsigned char*>(matrix.data()), by_rows, element, counts, 2, 0),
        0);
    // Element (row 1, column 2) of the matrix is now element (row 2, column 1).
    std::vector<unsigned char> one(element);
    get(Style::kBlocking, one.data(), right(), area + (2 * rows + 1) * element, element);
    EXPECT_EQ(std::memcmp(one.data(), matrix.data() + (columns + 2) * element, element), 0);
    ASSERT_EQ(gex_VIS_StridedGetBlocking(job().tm, back.data(), by_rows, right(), area, by_columns, element,
                                         counts, 2, 0),
              0);
    EXPECT_TRUE(back == matrix) << element;
  }
}

TEST_F(Vis, NothingToMoveNeedsNothingElse) {
  const std::size_t some[] = {3, 0, 2};
  const std::ptrdiff_t strides[] = {8, 24, 48};
  EXPECT_EQ(
      gex_VIS_StridedPutBlocking(GEX_TM_INVALID, 99, nullptr, nullptr, nullptr, nullptr, 0, nullptr, 3, 0),
      0);
  EXPECT_EQ(gex_VIS_StridedGetNB(GEX_TM_INVALID, nullptr, strides, 99, nullptr, strides, 8, some, 3, 0),
            GEX_EVENT_INVALID);
  EXPECT_EQ(gex_VIS_VectorPutBlocking(job().tm, right(), 0, nullptr, 0, nullptr, 0), 0);
  EXPECT_EQ(gex_VIS_IndexedGetNBI(job().tm, 0, nullptr, 8, right(), 0, nullptr, 8, 0), 0);
  const gex_Memvec_t empty[] = {{nullptr, 0}, {nullptr, 0}};
  EXPECT_EQ(gex_VIS_VectorGetBlocking(job().tm, 2, empty, right(), 1, empty, 0), 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
}

TEST_F(Vis, WithoutLevelsAStridedTransferIsContiguous) {
  const auto source = patterned(1000, job().rank);
  unsigned char back[1000];
  std::byte* area = window(right(), job().rank);
  EXPECT_EQ(
      gex_VIS_StridedPutBlocking(job().tm, right(), area, nullptr, const_cast<unsigned char*>(source.data()),
                                 nullptr, 1000, nullptr, 0, 0),
      0);
  EXPECT_EQ(gex_VIS_StridedGetBlocking(job().tm, back, nullptr, right(), area, nullptr, 1000, nullptr, 0, 0),
            0);
  EXPECT_TRUE(holds(back, 1000, job().rank));
}

// More dimensions than any array has; two elements in each are still only a few kilobytes.
TEST_F(Vis, ManyDimensions) {
  constexpr std::size_t kLevels = 14;
  std::array<std::size_t, 2 * kLevels> counts;
  std::array<std::ptrdiff_t, 2 * kLevels> sparse, dense;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = i % 2 == 0 ? 2 : 1;
    sparse[i] = std::ptrdiff_t{3} << (i / 2);
    dense[counts.size() - 1 - i] = std::ptrdiff_t{1} << (i / 2);
  }
  const std::size_t bytes = 1 << kLevels;
  const auto source = patterned(bytes, key_of(job().rank, 14));
  std::vector<unsigned char> back(bytes);
  std::byte* area = window(right(), job().rank);
  ASSERT_EQ(gex_VIS_StridedPutBlocking(job().tm, right(), area, sparse.data(),
                                       const_cast<unsigned char*>(source.data()), dense.data(), 1,
                                       counts.data(), counts.size(), 0),
            0);
  ASSERT_EQ(gex_VIS_StridedGetBlocking(job().tm, back.data(), dense.data(), right(), area, sparse.data(), 1,
                                       counts.data(), counts.size(), 0),
            0);
  EXPECT_TRUE(back == source);
}

std::atomic<std::uint32_t> signals{0};
std::atomic<bool> all_there{true};
std::atomic<std::size_t> signal_bytes{0};

// Runs when all of a put has arrived: what it wrote is the number of the round, in both places.
void on_arrival(gex_Token_t token, void* payload, std::size_t bytes) {
  gex_Token_Info_t info;
  const gex_TI_t known = gex_Token_Info(token, &info, GEX_TI_ALL);
  std::uint32_t round = 0, first = 0, last = 0;
  if (bytes >= sizeof round) std::memcpy(&round, payload, sizeof round);
  std::memcpy(&first, window(job().rank, left()), sizeof first);
  std::memcpy(&last, window(job().rank, left()) + 4096, sizeof last);
  const bool token_is_right = (known & GEX_TI_SRCRANK) && info.gex_srcrank == left() && !info.gex_is_req;
  if (!token_is_right || first < round || last < round) all_there = false;
  signal_bytes += bytes;
  ++signals;
}
Handler arrival(on_arrival, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY);

TEST_F(Vis, APeerIsToldWhenAPutHasArrived) {
  const std::uint32_t rounds = scaled(40);
  std::size_t expected_bytes = 0;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    unsigned char payload[GEX_VIS_MAX_PEERCOMPLETION] = {};
    const std::size_t bytes = std::max<std::size_t>(sizeof round, round * 7 % sizeof payload);
    std::memcpy(payload, &round, sizeof round);
    expected_bytes += bytes;
    std::uint32_t values[2] = {round, round};
    const std::size_t counts[] = {2};
    const std::ptrdiff_t to[] = {4096}, from[] = {4};
    gex_VIS_SetPeerCompletionHandler(arrival, payload, bytes, 0);
    std::byte* area = window(right(), job().rank);
    if (round % 3 == 0) {
      put(Style::kBlocking, right(), area + 4096, values, sizeof values);
      const gex_Memvec_t piece{area, sizeof values}, source{values, sizeof values};
      EXPECT_EQ(gex_VIS_VectorPutBlocking(job().tm, right(), 1, &piece, 1, &source, 0), 0);
    } else if (round % 3 == 1) {
      gex_Event_Wait(gex_VIS_StridedPutNB(job().tm, right(), area, to, values, from, 4, counts, 1, 0));
    } else {
      gex_VIS_StridedPutNBI(job().tm, right(), area, to, values, from, 4, counts, 1, 0);
      gex_NBI_Wait(GEX_EC_PUT, 0);
    }
    // Only that one put: neither the next one, nor one after the signal was taken back.
    EXPECT_EQ(gex_VIS_StridedPutBlocking(job().tm, right(), area, to, values, from, 4, counts, 1, 0), 0);
    gex_VIS_SetPeerCompletionHandler(arrival, nullptr, 0, 0);
    gex_VIS_SetPeerCompletionHandler(0, nullptr, 0, 0);
    EXPECT_EQ(gex_VIS_StridedPutBlocking(job().tm, right(), area, to, values, from, 4, counts, 1, 0), 0);
  }
  GASNET_BLOCKUNTIL(signals >= rounds);
  barrier();
  EXPECT_EQ(signals, rounds);
  EXPECT_TRUE(all_there);
  EXPECT_EQ(signal_bytes, expected_bytes);
}

}  // namespace
}  // namespace aqueduct::test
