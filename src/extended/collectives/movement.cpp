#include "extended/collectives/movement.hpp"

#include <algorithm>

namespace aqueduct::extended::collectives {
namespace {

// Up to this size a block is better sent on with others than by itself.
constexpr std::size_t kSmallBlock = 1024;

std::byte* at(void* blocks, std::size_t number, std::size_t bytes) {
  return static_cast<std::byte*>(blocks) + number * bytes;
}
const std::byte* at(const void* blocks, std::size_t number, std::size_t bytes) {
  return static_cast<const std::byte*>(blocks) + number * bytes;
}

// A binomial tree over places counted from the root: a member holds the blocks of an interval that starts
// with its own. Its parent is `bit` before it; the interval is at most `bit` long.
struct Subtree {
  Subtree(const Ranks& ranks, gex_Rank_t root_place)
      : size(ranks.size()), root(root_place), here((ranks.me() + size - root) % size) {
    while (bit < size && !(here & bit)) bit <<= 1;
  }

  std::uint64_t size, root, here;
  std::uint64_t bit = 1;

  std::uint64_t place(std::uint64_t from_root) const { return (from_root + root) % size; }
  std::uint64_t length(std::uint64_t first, std::uint64_t most) const { return std::min(most, size - first); }
  std::uint64_t length() const { return length(here, bit); }
};

}  // namespace

void meet(Program& program, const Ranks& ranks, Tag tag) {
  for (std::uint64_t distance = 1; distance < ranks.size(); distance <<= 1, ++tag) {
    const auto step = static_cast<gex_Rank_t>(distance);
    program.send(ranks[ranks.after(step)], tag, nullptr, 0);
    program.receive(ranks[ranks.before(step)], tag, nullptr, 0);
  }
}

void scatter(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag, const void* blocks, void* mine,
             std::size_t bytes) {
  const bool is_root = ranks.me() == root;
  if (bytes > kSmallBlock) {
    if (!is_root) return program.receive(ranks[root], tag, mine, bytes);
    for (gex_Rank_t distance = 1; distance < ranks.size(); ++distance) {
      const gex_Rank_t place = ranks.after(distance);
      program.send(ranks[place], tag, at(blocks, place, bytes), bytes);
    }
    return program.copy(mine, at(blocks, root, bytes), bytes);
  }
  const Subtree tree(ranks, root);
  std::byte* const held = program.temporary(tree.length() * bytes);  // counted from the root
  if (is_root) {
    const std::size_t before_end = ranks.size() - root;
    program.copy(held, at(blocks, root, bytes), before_end * bytes);
    program.copy(at(held, before_end, bytes), blocks, root * bytes);
  } else {
    const auto parent = static_cast<gex_Rank_t>(tree.place(tree.here - tree.bit));
    program.receive(ranks[parent], tag, held, tree.length() * bytes);
  }
  for (std::uint64_t bit = tree.bit >> 1; bit != 0; bit >>= 1) {
    if (tree.here + bit >= tree.size) continue;
    program.send(ranks[static_cast<gex_Rank_t>(tree.place(tree.here + bit))], tag, at(held, bit, bytes),
                 tree.length(tree.here + bit, bit) * bytes);
  }
  program.copy(mine, held, bytes);
}

void gather(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag, void* blocks, const void* mine,
            std::size_t bytes) {
  const bool is_root = ranks.me() == root;
  if (bytes > kSmallBlock) {
    if (!is_root) return program.send(ranks[root], tag + ranks.me(), mine, bytes);
    program.copy(at(blocks, root, bytes), mine, bytes);
    for (gex_Rank_t distance = 1; distance < ranks.size(); ++distance) {
      const gex_Rank_t place = ranks.after(distance);
      program.receive(ranks[place], tag + place, at(blocks, place, bytes), bytes);
    }
    return;
  }
  const Subtree tree(ranks, root);
  std::byte* const held = program.temporary(tree.length() * bytes);
  program.copy(held, mine, bytes);
  for (std::uint64_t bit = 1; bit < tree.bit; bit <<= 1) {
    if (tree.here + bit >= tree.size) break;
    const auto child = static_cast<gex_Rank_t>(tree.place(tree.here + bit));
    program.receive(ranks[child], tag + child, at(held, bit, bytes),
                    tree.length(tree.here + bit, bit) * bytes);
  }
  if (is_root) {
    const std::size_t before_end = ranks.size() - root;
    program.copy(at(blocks, root, bytes), held, before_end * bytes);
    program.copy(blocks, at(held, before_end, bytes), root * bytes);
  } else {
    const auto parent = static_cast<gex_Rank_t>(tree.place(tree.here - tree.bit));
    program.send(ranks[parent], tag + ranks.me(), held, tree.length() * bytes);
  }
}

void gather_to_all(Program& program, const Ranks& ranks, Tag tag, void* blocks, const void* mine,
                   std::size_t bytes) {
  const std::size_t size = ranks.size();
  if (bytes > kSmallBlock) {
    program.copy(at(blocks, ranks.me(), bytes), mine, bytes);
    for (gex_Rank_t round = 0; round + 1 < ranks.size(); ++round) {
      program.send(ranks[ranks.after(1)], tag + round, at(blocks, ranks.before(round), bytes), bytes);
      program.receive(ranks[ranks.before(1)], tag + round, at(blocks, ranks.before(round + 1), bytes), bytes);
    }
    return;
  }
  std::byte* const known = program.temporary(size * bytes);  // counted from ourselves
  program.copy(known, mine, bytes);
  for (std::size_t distance = 1; distance < size; distance <<= 1, ++tag) {
    const std::size_t count = std::min(distance, size - distance);
    const auto step = static_cast<gex_Rank_t>(distance);
    program.send(ranks[ranks.before(step)], tag, known, count * bytes);
    program.receive(ranks[ranks.after(step)], tag, at(known, distance, bytes), count * bytes);
  }
  const std::size_t before_end = size - ranks.me();
  program.copy(at(blocks, ranks.me(), bytes), known, before_end * bytes);
  program.copy(blocks, at(known, before_end, bytes), ranks.me() * bytes);
}

void exchange(Program& program, const Ranks& ranks, Tag tag, void* to, const void* from, std::size_t bytes) {
  program.copy(at(to, ranks.me(), bytes), at(from, ranks.me(), bytes), bytes);
  for (gex_Rank_t distance = 1; distance < ranks.size(); ++distance) {
    const gex_Rank_t place = ranks.after(distance);
    program.send(ranks[place], tag + ranks.me(), at(from, place, bytes), bytes);
  }
  for (gex_Rank_t distance = 1; distance < ranks.size(); ++distance) {
    const gex_Rank_t place = ranks.before(distance);
    program.receive(ranks[place], tag + place, at(to, place, bytes), bytes);
  }
}

}  // namespace aqueduct::extended::collectives
