#include "extended/collectives/reduction.hpp"

#include <algorithm>
#include <bit>

namespace aqueduct::extended::collectives {
namespace {

// Tags, counted from that of the algorithm.
constexpr Tag kFoldIn = 0;
constexpr Tag kFoldOut = 1;
constexpr Tag kToRoot = 2;
constexpr Tag kRounds = 8;  // one for each round
constexpr Tag kBackRounds = 48;
constexpr Tag kBlocks = kReductionTags;

// `other` is the partial result of the interval of places just above or just below ours; both become one.
void merge(Program& program, const Vectors& vectors, std::size_t count, Partial& partial, std::byte* other,
           bool other_is_above) {
  if (other_is_above) {
    program.combine(partial.at, other, count);
    partial = {other, true};
    return;
  }
  if (!partial.writable) {
    std::byte* const own = program.temporary(vectors.bytes(count));
    program.copy(own, partial.at, vectors.bytes(count));
    partial = {own, true};
  }
  program.combine(other, partial.at, count);
}

// Algorithms over powers of two fold the places beyond in first: of the first places, each odd one hands its
// vector to the even one below and waits for the result.
struct Folding {
  explicit Folding(const Ranks& ranks)
      : places(std::bit_floor(ranks.size())), extra(ranks.size() - places), me(ranks.me()) {}

  gex_Rank_t places;  // that take part, numbered anew
  gex_Rank_t extra;
  gex_Rank_t me;

  bool has_partner() const { return me < 2 * extra; }
  bool active() const { return !has_partner() || me % 2 == 0; }
  gex_Rank_t here() const { return has_partner() ? me / 2 : me - extra; }
  gex_Rank_t place_of(gex_Rank_t active_place) const {
    return active_place < extra ? 2 * active_place : active_place + extra;
  }

  void fold_in(Program& program, const Ranks& ranks, Tag tag, const Vectors& vectors,
               Partial& partial) const {
    if (!has_partner()) return;
    if (!active()) {
      program.send(ranks[me - 1], tag + kFoldIn, partial.at, vectors.bytes());
      return;
    }
    std::byte* const other = program.temporary(vectors.bytes());
    program.receive(ranks[me + 1], tag + kFoldIn, other, vectors.bytes());
    merge(program, vectors, vectors.count, partial, other, true);
  }

  // What is at `result` of each even place comes to that of the odd one.
  void fold_out(Program& program, const Ranks& ranks, Tag tag, const Vectors& vectors, void* result) const {
    if (!has_partner()) return;
    if (active()) {
      program.send(ranks[me + 1], tag + kFoldOut, result, vectors.bytes());
    } else {
      program.receive(ranks[me - 1], tag + kFoldOut, result, vectors.bytes());
    }
  }
};

// The vector in as many blocks as there are active places; the first ones are an element longer.
struct Blocks {
  const Vectors& vectors;
  gex_Rank_t blocks;

  std::size_t start(gex_Rank_t block) const {
    return vectors.count / blocks * block + std::min<std::size_t>(block, vectors.count % blocks);
  }
  std::size_t elements(gex_Rank_t first, gex_Rank_t end) const { return start(end) - start(first); }
};

struct Range {
  gex_Rank_t first, end;
};

// The blocks that an active place still has after the rounds with distances below `distance`.
Range range_before(gex_Rank_t here, gex_Rank_t distance, gex_Rank_t blocks) {
  Range range{0, blocks};
  for (gex_Rank_t bit = 1; bit < distance; bit <<= 1) {
    const gex_Rank_t middle = (range.first + range.end) / 2;
    (here & bit ? range.first : range.end) = middle;
  }
  return range;
}

// Leaves the result of our one block in `partial`.
void reduce_scatter(Program& program, const Ranks& ranks, const Folding& folding, Tag tag,
                    const Blocks& blocks, Partial& partial) {
  const Vectors& vectors = blocks.vectors;
  const gex_Rank_t here = folding.here();
  for (gex_Rank_t distance = 1; distance < folding.places; distance <<= 1, ++tag) {
    const gex_Rank_t other = here ^ distance;
    const gex_Rank_t peer = ranks[folding.place_of(other)];
    const Range whole = range_before(here, distance, folding.places);
    const Range mine = range_before(here, 2 * distance, folding.places);
    const Range theirs = range_before(other, 2 * distance, folding.places);
    const std::size_t base = blocks.start(whole.first);
    program.send(peer, tag + kRounds, partial.at + vectors.bytes(blocks.start(theirs.first) - base),
                 vectors.bytes(blocks.elements(theirs.first, theirs.end)));
    const std::size_t count = blocks.elements(mine.first, mine.end);
    std::byte* const arrived = program.temporary(vectors.bytes(count));
    program.receive(peer, tag + kRounds, arrived, vectors.bytes(count));
    partial.at += vectors.bytes(blocks.start(mine.first) - base);
    merge(program, vectors, count, partial, arrived, other > here);
  }
}

}  // namespace

void reduce_along_tree(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag, const Vectors& vectors,
                       Partial& partial) {
  const std::uint64_t size = ranks.size();
  const gex_Rank_t top = vectors.combiner.commutes ? root : 0;
  const std::uint64_t here = (ranks.me() + size - top) % size;
  const auto rank_at = [&](std::uint64_t place) {
    return ranks[static_cast<gex_Rank_t>((place + top) % size)];
  };
  Tag round = tag + kRounds;
  for (std::uint64_t distance = 1; distance < size; distance <<= 1, ++round) {
    if (here & distance) {
      program.send(rank_at(here - distance), round, partial.at, vectors.bytes());
      break;
    }
    if (here + distance >= size) continue;
    std::byte* const other = program.temporary(vectors.bytes());
    program.receive(rank_at(here + distance), round, other, vectors.bytes());
    merge(program, vectors, vectors.count, partial, other, true);
  }
  if (top == root) return;
  if (ranks.me() == top) program.send(ranks[root], tag + kToRoot, partial.at, vectors.bytes());
  if (ranks.me() == root) {
    partial = {program.temporary(vectors.bytes()), true};
    program.receive(ranks[top], tag + kToRoot, partial.at, vectors.bytes());
  }
}

void reduce_by_doubling(Program& program, const Ranks& ranks, Tag tag, const Vectors& vectors,
                        Partial& partial) {
  const Folding folding(ranks);
  folding.fold_in(program, ranks, tag, vectors, partial);
  if (folding.active()) {
    const gex_Rank_t here = folding.here();
    Tag round = tag + kRounds;
    for (gex_Rank_t distance = 1; distance < folding.places; distance <<= 1, ++round) {
      const gex_Rank_t other = here ^ distance;
      const gex_Rank_t peer = ranks[folding.place_of(other)];
      program.send(peer, round, partial.at, vectors.bytes());
      std::byte* const arrived = program.temporary(vectors.bytes());
      program.receive(peer, round, arrived, vectors.bytes());
      merge(program, vectors, vectors.count, partial, arrived, other > here);
    }
  } else {
    partial = {program.temporary(vectors.bytes()), true};
  }
  folding.fold_out(program, ranks, tag, vectors, partial.at);
}

void reduce_by_halving_to_all(Program& program, const Ranks& ranks, Tag tag, const Vectors& vectors,
                              Partial partial, void* result) {
  const Folding folding(ranks);
  const Blocks blocks{vectors, folding.places};
  folding.fold_in(program, ranks, tag, vectors, partial);
  if (folding.active()) {
    reduce_scatter(program, ranks, folding, tag, blocks, partial);
    const gex_Rank_t here = folding.here();
    auto* const whole = static_cast<std::byte*>(result);
    const auto at = [&](Range range) { return whole + vectors.bytes(blocks.start(range.first)); };
    const auto bytes = [&](Range range) { return vectors.bytes(blocks.elements(range.first, range.end)); };
    const Range mine = range_before(here, folding.places, folding.places);
    program.copy(at(mine), partial.at, bytes(mine));
    Tag round = tag + kBackRounds;
    for (gex_Rank_t distance = folding.places / 2; distance > 0; distance >>= 1, ++round) {
      const gex_Rank_t other = here ^ distance;
      const gex_Rank_t peer = ranks[folding.place_of(other)];
      const Range known = range_before(here, 2 * distance, folding.places);
      const Range missing = range_before(other, 2 * distance, folding.places);
      program.send(peer, round, at(known), bytes(known));
      program.receive(peer, round, at(missing), bytes(missing));
    }
  }
  folding.fold_out(program, ranks, tag, vectors, result);
}

void reduce_by_halving_to_one(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag,
                              const Vectors& vectors, Partial partial, void* result) {
  const Folding folding(ranks);
  const Blocks blocks{vectors, folding.places};
  folding.fold_in(program, ranks, tag, vectors, partial);
  // Every active place ends with the block that its range has shrunk to.
  const auto block_of = [&](gex_Rank_t active_place) {
    return range_before(active_place, folding.places, folding.places).first;
  };
  const auto bytes = [&](gex_Rank_t block) { return vectors.bytes(blocks.elements(block, block + 1)); };
  if (folding.active()) {
    reduce_scatter(program, ranks, folding, tag, blocks, partial);
    const gex_Rank_t mine = block_of(folding.here());
    if (ranks.me() != root) {
      program.send(ranks[root], tag + kBlocks + folding.here(), partial.at, bytes(mine));
    } else {
      program.copy(static_cast<std::byte*>(result) + vectors.bytes(blocks.start(mine)), partial.at,
                   bytes(mine));
    }
  }
  if (ranks.me() != root) return;
  for (gex_Rank_t place = 0; place < folding.places; ++place) {
    if (folding.place_of(place) == root) continue;
    const gex_Rank_t block = block_of(place);
    program.receive(ranks[folding.place_of(place)], tag + kBlocks + place,
                    static_cast<std::byte*>(result) + vectors.bytes(blocks.start(block)), bytes(block));
  }
}

}  // namespace aqueduct::extended::collectives
