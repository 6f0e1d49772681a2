#include "extended/collectives/tree.hpp"

#include <algorithm>

namespace aqueduct::extended::collectives {

void add_binomial_edges(Edges& edges, const Ranks& ranks, gex_Rank_t root) {
  // Counted from the root, a member's parent lacks its lowest bit; its children have one lower bit more.
  const std::uint64_t size = ranks.size();
  const std::uint64_t here = (ranks.me() + size - root) % size;
  const auto rank_at = [&](std::uint64_t place) {
    return ranks[static_cast<gex_Rank_t>((place + root) % size)];
  };
  std::uint64_t bit = 1;
  while (bit < size && !(here & bit)) bit <<= 1;
  if (here != 0) edges.parent = rank_at(here - bit);
  for (bit >>= 1; bit != 0; bit >>= 1) {
    if (here + bit < size) edges.children.push_back(rank_at(here + bit));
  }
}

void add_narrow_edges(Edges& edges, const Ranks& ranks, gex_Rank_t root, gex_Rank_t degree) {
  const std::uint64_t size = ranks.size();
  const std::uint64_t here = (ranks.me() + size - root) % size;
  const auto rank_at = [&](std::uint64_t place) {
    return ranks[static_cast<gex_Rank_t>((place + root) % size)];
  };
  if (here != 0) edges.parent = rank_at((here - 1) / degree);
  for (std::uint64_t child = here * degree + 1; child <= here * degree + degree && child < size; ++child) {
    edges.children.push_back(rank_at(child));
  }
}

void spread(Program& program, const Edges& edges, Tag tag, const void* from, void* to, std::size_t bytes,
            std::size_t piece_bytes) {
  const bool is_root = edges.parent == GEX_RANK_INVALID;
  std::size_t offset = 0;
  do {
    const std::size_t piece = std::min(piece_bytes, bytes - offset);
    std::byte* const here = static_cast<std::byte*>(to) + offset;
    if (!is_root) program.receive(edges.parent, tag, here, piece);
    const std::byte* const source = is_root ? static_cast<const std::byte*>(from) + offset : here;
    for (const gex_Rank_t child : edges.children) program.send(child, tag, source, piece);
    offset += piece;
    ++tag;
  } while (offset < bytes);
}

}  // namespace aqueduct::extended::collectives
